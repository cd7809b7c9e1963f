// What the engine refuses, in Chinese, by the form of its sentences. Names, flags and values stay; a sentence of no known form stays English.

/** What a value must be. */
const kinds = {
    'a count': '数量', 'a fraction': '比例', 'a duration': '时长', 'a bandwidth': '带宽', 'a number': '数值', 'a power': '功率', 'an amount of dollars': '金额（美元）', 'a reduction format': '归约格式',
    'an array': '数组', 'an object': '对象', 'a string': '字符串', 'a whole number': '整数', 'true or false': 'true 或 false', 'null': 'null',
};
const rooms = { accelerator: '加速器', cluster: '集群', model: '模型', stack: '软件栈', 'price list': '价目表' };
const kindOf = (name) => kinds[name] ?? name;

/** A list of English alternatives. */
const listed = (text) => text.replace(/,? and /g, '、').replace(/,? or /g, '、').replaceAll(', ', '、');

const allowed = [
    [/^a number alone or followed by (.+)$/, (all, units) => `数字，可带单位 ${listed(units)}`],
    [/^a number followed by (.+)$/, (all, units) => `数字加单位 ${listed(units)}`],
    [/^a number of (\S+), or with a unit: (.+)$/, (all, unit, units) => `以 ${unit} 计的数字，或带单位 ${listed(units)}`],
    [/^numbers followed by (.+), larger units first, as in (.+)$/, (all, units, example) => `数字加单位 ${listed(units)}，从大到小，如 ${example}`],
    [/^a finite number$/, '有限的数值'],
    [/^0 to 1, or a percentage: (.+)$/, '0 到 1 之间的数，或百分数，如 $1'],
    [/^on, off, or a list of (.+)$/, (all, names) => `on、off，或以下各项的列表：${listed(names)}`],
    [/^grams per kWh, as in 400, (.+)$/, (all, names) => `每 kWh 的克数（如 400），或 ${listed(names)}`],
    [/^accelerator-time, as in 50000h, (.+)$/, (all, names) => `加速器时间（如 50000h），或 ${listed(names)}`],
    [/^up to ([\d.%]+)$/, '不超过 $1'],
    [/^(-?[\d.e+]+) to less than ([\d.e+]+)$/, '不小于 $1 且小于 $2'],
    [/^(-?[\d.e+]+) to ([\d.e+%]+(?: W)?)$/, '$1 到 $2'],
    [/^[^.;]+$/, (all) => listed(all)],
];

/** What follows a sentence: what is allowed, and what may have been meant. */
const tails = [
    [/; allowed: (.+)$/, (all, values) => `；可用的值：${said(allowed, values) ?? values}`],
    [/; did you mean (.+) or another\? ('.+') names them$/, (all, names, command) => `；是指 ${listed(names)}，还是其他？${command} 可列出全部`],
    [/; did you mean (.+)\?$/, (all, names) => `；是指 ${listed(names)} 吗？`],
    [/; ('traincost list .+') names them all$/, '；$1 可列出全部'],
    [/; or allow uneven stages with (--uneven-stages)(?: \(uneven_stages\))?$/, '；也可用 $1 允许各阶段层数不等'],
    [/; (\d+) and (\d+) do$/, '；$1 和 $2 可以'],
    [/; (\d+) does$/, '；$1 可以'],
    [/; (\d+) and (\d+) are$/, '；$1 和 $2 可以'],
    [/; (\d+) is$/, '；$1 可以'],
    [/; use interleaved$/, '；请改用 interleaved'],
    [/; give --gpu-hour-price$/, '；请给出 --gpu-hour-price'],
    [/; a (.+) needs it$/, '；$1 需要它'],
];

const lacks = { 'pipeline parallelism': '流水线并行', 'tensor parallelism': '张量并行', 'context parallelism': '上下文并行', 'expert parallelism': '专家并行', 'virtual pipeline stages': '流水线虚拟阶段', 'ZeRO 2 or 3 beside a pipeline': '与流水线并用的 ZeRO 2、3', 'sequence parallelism': '序列并行' };
const missing = {
    'give the number of accelerators': '请给出加速器数量', 'give the sequence length in tokens': '请给出序列长度（词元）', 'give the sequences per optimizer step': '请给出每次优化器更新的序列数',
    'give a catalogue id, a file, or - (standard input)': '请给出目录中的 id 或模型文件', "give a catalogue accelerator (see 'traincost list accelerators')": "请给出目录中的加速器（'traincost list accelerators' 可列出全部）",
    '--price own needs the price per kWh in dollars': '--price own 需要每 kWh 的电价（美元）', '--price own needs the write-off period': '--price own 需要折旧年限', '--price own needs the purchase price of an accelerator': '--price own 需要每个加速器的购买价格',
};
const facts = { 'the string': '字符串', 'the number': '数值' };
const factOf = (text) => text.replace(/^(the string) /, (all, name) => `${facts[name]} `).replace(/^an (array|object)$/, (all) => kindOf(all));
const configuration = (text) => text.replace(/micro-batch (\d+)/, '微批 $1').replace(/(\w+) recompute/, '$1 重计算');

const sentences = [
    [/^unknown value ('.*')$/, '未知的值 $1'],
    [/^unknown (accelerator|cluster|model|stack|price list) ('.*')$/, (all, room, name) => `未知的${rooms[room]} ${name}`],
    [/^unknown release ('.*') of (\S+)(, which has none)?$/, (all, release, stack, none) => `${stack} 没有版本 ${release}${none ? '，也没有其他版本' : ''}`],
    [/^unknown key ('.*')$/, '未知的键 $1'],
    [/^missing key ('.*')$/, '缺少键 $1'],
    [/^key ('.*') is given twice$/, '键 $1 重复'],
    [/^no item named ('.*'); see ('.*')$/, '没有名为 $1 的项；见 $2'],
    [/^('.*') is not (.+)$/, (all, value, kind) => (kinds[kind] ? `${value} 不是${kind === 'a whole number' ? '' : '有效的'}${kinds[kind]}` : undefined)],
    [/^(.*); must be (an? [\w ]+|true or false)$/, (all, value, kind) => (kinds[kind] ? `${factOf(value)}；必须是${kinds[kind]}` : undefined)],
    [/^('.*') must be greater than 0$/, '$1 必须大于 0'],
    [/^('.*') must not be negative$/, '$1 不能为负'],
    [/^('.*') is too large(?:: at most (.+))?$/, (all, value, most) => `${value} 太大${most ? `：最多 ${most}` : ''}`],
    [/^('.*') is over 100%$/, '$1 超过 100%'],
    [/^('.*') leaves no memory$/, '$1 没有留下可用的显存'],
    [/^(.+); must be at least (\S+)$/, '$1；必须至少为 $2'],
    [/^(.+); must be at most (\S+)$/, '$1；最多为 $2'],
    [/^(.+); must be between (\S+) and (\S+)$/, '$1；必须在 $2 和 $3 之间'],
    [/^(.+); must be a positive number$/, '$1；必须是正数'],
    [/^([\d.e+-]+ (?:GB\/s|Gbit\/s|us|W))$/, '$1 超出范围'],
    [/^(\S+ W); allowed for (\S+), rated (\S+ W): (\S+) to (\S+ W)$/, '$1；$2（额定 $3）可用 $4 到 $5'],

    [/^(\S+) does not divide (.+) = (\S+)$/, '$1 不能整除 $2 = $3'],
    [/^pp\*vp = (\d+) does not divide the model's (\d+) layers$/, 'pp*vp = $1 不能整除模型的 $2 层'],
    [/^pp\*vp = (\d+) exceeds the model's (\d+) layers$/, 'pp*vp = $1 超过模型的 $2 层'],
    [/^(\d+) is not a multiple of (.+) = (\S+)$/, '$1 不是 $2 = $3 的倍数'],
    [/^(\d+) is less than (.+) = (\S+) = (\S+)$/, '$1 小于 $2 = $3 = $4'],
    [/^(\d+); must divide (\S+) = (\d+) or be a multiple of it$/, '$1；必须整除 $2 = $3，或是其倍数'],
    [/^tp\*pp\*dp\*cp = (\S+) = (\d+), but the cluster has (\d+) accelerators?$/, 'tp*pp*dp*cp = $1 = $2，而集群有 $3 个加速器'],
    [/^micro-batch\*accumulation\*dp = (\d+), but --global-batch says (\d+)$/, 'micro-batch*accumulation*dp = $1，而 --global-batch 为 $2'],
    [/^(.+); virtual stages need pp > 1$/, '$1；虚拟阶段需要 pp > 1'],
    [/^(.+); the model has no experts$/, '$1；模型没有专家层'],
    [/^(\S+) has no virtual stages \(vp = (\d+)\)$/, '$1 没有虚拟阶段 (vp = $2)'],
    [/^(\d+); the interleaved schedule needs a multiple of pp = (\d+) micro-batches per step, not (\d+)$/, '$1；interleaved 调度要求每步的微批数是 pp = $2 的倍数，现为 $3'],
    [/^dualpipe with pp = (\d+), vp = (\d+) and (\d+) micro-batches per step; needs an even pp, vp = 1 and an even number of at least 2\*pp micro-batches$/, 'dualpipe，pp = $1，vp = $2，每步 $3 个微批；要求 pp 为偶数、vp = 1、微批数为偶数且至少为 2*pp'],
    [/^(\S+); (\S+) has no (.+)$/, (all, value, stack, what) => (lacks[what] ? `${value}；${stack} 不支持${lacks[what]}` : undefined)],
    [/^needs (\S+) matrix rates; (\S+) has none$/, '需要 $1 矩阵乘法的速率，$2 没有'],
    [/^(\S+) needs products in fp8, as of fp8-mixed; the precision is (\S+)$/, '$1 需要 fp8 矩阵乘法（如 fp8-mixed），而精度为 $2'],
    [/^times sequence is more than (\S+) tokens$/, '与序列长度的乘积超过 $1 词元'],
    [/^is more than the longest sequence$/, '超过最长的序列'],
    [/^('.*') contradicts (--gpu) (\S+)$/, '$1 与 $2 $3 矛盾'],
    [/^('.*') contradicts (--gpu), which says (\d+)$/, '$1 与 $2 中的数量 $3 矛盾'],
    [/^('.*') cannot be compiled$/, '$1 不能编译'],
    [/^('.*') cannot be recomputed$/, '$1 不能重计算'],
    [/^('.*'): only full takes a period \(full:2\) and only selective takes modules \(selective:core_attn\)$/, '$1：只有 full 可带间隔 (full:2)，只有 selective 可带模块 (selective:core_attn)'],
    [/^('.*') has no quantised base(?: for --tuning qlora)?$/, '$1 没有 --tuning qlora 所需的量化基座'],

    [/^(.+); must divide (\d+) accelerators and the model's (\d+) heads, (\d+) key\/value heads and feed-forward width of (\d+)$/, '$1；必须整除 $2 个加速器以及模型的 $3 个头、$4 个键值头和前馈宽度 $5'],
    [/^(.+); must divide (\d+) accelerators over tp\*cp, and be at most the model's (\d+) layers$/, '$1；必须整除 $2 个加速器除以 tp*cp 之商，且不超过模型的 $3 层'],
    [/^(.+); must divide both the sequence length of (\d+) and (\d+) accelerators over tp$/, '$1；必须整除序列长度 $2，以及 $3 个加速器除以 tp 之商'],
    [/^(.+); must divide the model's (\d+) experts$/, '$1；必须整除模型的 $2 个专家'],
    [/^(.+); must divide a tp of (.+)$/, '$1；必须整除 tp（$2）'],
    [/^(.+); must divide dp\*cp$/, '$1；必须整除 dp*cp'],
    [/^(.+); ep\*etp must divide the ranks of a pipeline stage$/, '$1；ep*etp 必须整除一个流水线阶段的进程数'],
    [/^(.+); dp\*micro_batch must divide the global batch of (\d+) for a dp that tp, cp, pp and ep allow$/, '$1；在 tp、cp、pp、ep 允许的 dp 下，dp*micro_batch 必须整除全局批大小 $2'],
    [/^(.+); must divide the global batch of (\d+) into whole micro-batches$/, '$1；必须把全局批大小 $2 分成整数个微批'],
    [/^(.+); allowed on (\d+) accelerators: (.+)$/, (all, value, n, values) => `${value}；${n} 个加速器上可用的值：${listed(values)}`],
    [/^(\d+) is not a multiple of any dp\*micro_batch that is possible on (\d+) accelerators$/, '$1 不是 $2 个加速器上任何可能的 dp*micro_batch 的倍数'],
    [/^(.+) on one data-parallel rank \(dp\*cp = 1\)$/, '只有一个数据并行进程 (dp*cp = 1) 时不能用 $1'],
    [/^no given schedule is possible; vp > 1 needs interleaved, and DualPipe needs an even pp and an even number of at least 2\*pp micro-batches$/, '所给的调度都不可行；vp > 1 需要 interleaved，DualPipe 要求 pp 为偶数、微批数为偶数且至少为 2*pp'],
    [/^no given offload works with the remaining ZeRO stages$/, '所给的卸载方式与可用的 ZeRO 级别都不相容'],
    [/^(.+); the resulting dp must divide the global batch of (\d+)$/, '$1；由此得到的 dp 必须整除全局批大小 $2'],
    [/^memory: none of (\d+) configurations fit(?:; the smallest \((.+)\) needs (.+) of (.+))?$/, (all, n, smallest, needed, most) => `显存：${n} 种配置都放不下${smallest ? `；最小的（${configuration(smallest)}）需要 ${needed}，容量 ${most}` : ''}`],

    [/^missing; give exactly one of (.+)$/, (all, flags) => `未设定；请给出以下之一：${listed(flags)}`],
    [/^missing; (.+)$/, (all, what) => (missing[what] ? `未设定；${missing[what]}` : undefined)],
    [/^needs (--storage-bandwidth), the aggregate checkpoint bandwidth, as in (\S+)$/, '需要 $1，即写检查点的总带宽，如 $2'],
    [/^needs (--[\w-]+)$/, '需要同时设定 $1'],
    [/^applies only to (--.+)$/, '只用于 $1'],
    [/^cannot be combined with (--.+)$/, '不能与 $1 同时使用'],
    [/^no node with (\S+) has a known (\S+) price$/, '含 $1 的节点都没有已知的 $2 价格'],

    [/^empty; a JSON value is expected$/, '内容为空；需要 JSON'],
    [/^line (\d+), column (\d+): not valid JSON: the text ends too early$/, '第 $1 行第 $2 列：不是有效的 JSON：内容不完整'],
    [/^line (\d+), column (\d+): not valid JSON: unexpected (.+)$/, '第 $1 行第 $2 列：不是有效的 JSON：此处不应有 $3'],
    [/^line (\d+), column (\d+): (.+) is too large for a number$/, '第 $1 行第 $2 列：$3 太大，不是可用的数值'],
    [/^(\S+) is too large for a whole number$/, '$1 太大，不是可用的整数'],
    [/^not valid (YAML|TOML): (.+)$/, '不是有效的 $1：$2'],
    [/^nested more than (\d+) deep$/, '嵌套超过 $1 层'],
    [/^the model_type ('.*') is not known$/, '未知的 model_type $1'],
    [/^not a launch file of a known format; known: (.+)$/, (all, names) => `不是已知格式的启动文件；已知的格式：${listed(names)}`],
];

/** What the first form that fits makes of a text; nothing where none does. */
function said(forms, text) {
    for (const [form, words] of forms) {
        if (!form.test(text)) continue;
        const made = text.replace(form, words);
        if (made !== 'undefined') return made;
    }
    return undefined;
}

function chinese(message) {
    const whole = said(sentences, message);
    if (whole !== undefined) return whole;
    for (const [form, words] of tails) {
        const at = message.search(form);
        if (at < 0) continue;
        const head = chinese(message.slice(0, at));
        if (head !== undefined) return head + message.slice(at).replace(form, words);
    }
    return undefined;
}

/** The engine's sentence in the language of the page. */
export const errorText = (t, message) => (t('code') === 'zh' && chinese(message)) || message;
