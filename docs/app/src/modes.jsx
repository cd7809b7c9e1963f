import { Ask } from './ask.jsx';
import { Compare } from './compare.jsx';
import { Custom } from './custom.jsx';
import { Guide } from './guide.jsx';
import { Measure } from './measure.jsx';
import { Methods } from './methods.jsx';
import { Optimal } from './optimal.jsx';
import { Sheet } from './sheet.jsx';
import { Sweep } from './sweep.jsx';

export const modes = { ask: Ask, guide: Guide, sweep: Sweep, sheet: Sheet, custom: Custom, measure: Measure, compare: Compare, optimal: Optimal, methods: Methods };
