// The page's words in its two languages. Names of the engine's answers are in engine_words.js; its other
// sentences (errors, help, equations) are English in both.

const en = {
    code: 'en', comma: ', ', semicolon: '; ',
    title: 'traincost', tagline: 'What training a language model takes: memory, time, money',
    skip: 'Skip to the result', language: 'Language', theme: 'Theme', light: 'Light', dark: 'Dark', auto: 'System',
    modes: 'Modes', ask: 'Estimate', guide: 'Guide', sheet: 'Sheets', custom: 'Custom', measure: 'Measured', compare: 'Compare', optimal: 'Compute-optimal', methods: 'Published calculators',
    model: 'Model', cluster: 'Cluster', run: 'Run', parallel: 'Parallelism', more: 'Everything else', find: 'Find a setting',
    gpu: 'Accelerator', gpus: 'Accelerators', 'cluster.': 'Cluster', 'per-node': 'Per node', seq: 'Sequence length', 'micro-batch': 'Micro-batch', 'global-batch': 'Global batch', tokens: 'Training tokens', stack: 'Software stack', precision: 'Precision', optimizer: 'Optimizer', recompute: 'Recomputation', tp: 'Tensor parallel', pp: 'Pipeline parallel', vp: 'Virtual stages', dp: 'Data parallel', cp: 'Context parallel', ep: 'Expert parallel', zero: 'ZeRO stage', 'sequence-parallel': 'Sequence parallel', schedule: 'Pipeline schedule',
    unsaid: 'default', unset: 'the default', clear: 'Clear', drop: 'Drop or paste a config.json, a launch file or a log anywhere', choose: 'Choose files', remove: 'Remove', slider: 'slider',
    result: 'Result', starting: 'Starting the engine …', fits: 'Fits', risky: 'Fits, with little to spare', misfit: 'Does not fit', unsure: 'May not fit', thrashes: 'Fits, but thrashes:', thrashing: 'of a step go to the allocator, which frees memory and asks for it again', short: ': short by {}', chance: 'Chance of fitting', used: '{} used of {}', chanceof: ', {} chance of fitting',
    remedies: 'What would fit', nearest: 'No single change is enough; the closest are', apply: 'Apply', use: 'Use', wrong: 'This cannot be computed', stale: 'The figures below are those of the last valid job.',
    step: 'Step', rate: 'Tokens per second', pergpu: 'per accelerator', eachgpu: '{} per accelerator', oftokens: '{} training tokens', eachmillion: '{} per million tokens', mfu: 'MFU', hfu: 'HFU', days: 'Days', hours: 'GPU-hours', cost: 'Cost', energy: 'Energy', memory: 'Memory', range: '80% range', params: 'Parameters', active: 'active', ofactive: '{} active', flops: 'Model TFLOP/s', million: 'per million tokens', co2: 'CO₂', goodput: 'Goodput',
    bystage: 'Memory by pipeline stage', stage: 'Stage', capacity: 'capacity', breakdown: 'Where the step goes', timeline: 'One step', timelinehelp: 'Each row is a pipeline stage. Numbers are micro-batches.', forward: 'forward', backward: 'backward', input_gradient: 'input gradient', weight_gradient: 'weight gradient', other: 'after the pipeline', idle: 'idle', usage: 'Busy share of each lane', overstep: 'Memory over the step', atmoment: 'at {}: {}', zoomin: 'Zoom in', zoomout: 'Zoom out', left: 'Earlier', right: 'Later', whole: 'Whole step',
    compute: 'compute', tensor_parallel: 'tensor parallel', data_parallel: 'data parallel', pipeline: 'pipeline', host: 'host',
    assumed: 'Assumed', explain: 'Explain', table: 'As a table', part: 'Part', share: 'Share', value: 'Value', close: 'Close', of: 'of',
    sharing: 'Share', report: 'Report (HTML)', launchfile: 'Launch file', link: 'Copy link', copied: 'Copied', json: 'JSON', csv: 'CSV', line: 'Command line', png: 'PNG', svg: 'SVG', save: 'Keep for comparison', saved: '{} kept',
    toolong: 'The files are too large for a link, which leaves them out. The job as JSON (Custom) has them.',
    bylane: 'Rows by lane',
    badfile: 'This file cannot be read', toolarge: 'is larger than 64 MB', files: 'Files', readas: 'read as',
    changed: 'changed', search: 'Search', cancel: 'Cancel', searching: 'Searching', best: 'Best so far', plans: 'Plans', takeplan: 'Take this plan', goal: 'Goal', noplan: 'No plan fits.', done: 'Done',
    ownmodels: 'Own models', ownclusters: 'Own accelerators and clusters', ownhelp: 'Copy what the job uses, or add JSON. Own items are offered wherever the catalogue is searched.', own_: 'own', copyof: 'Copy {} to edit', fromjson: 'Add from JSON', asjson: 'As JSON', add: 'Add', modeljson: 'config.json, or a model of the catalogue as JSON', clusterjson: 'An accelerator or a cluster, as in the catalogue', norecord: 'This is no model, accelerator or cluster.', otherkind: 'This is of another kind: {}.', edit: 'Edit', duplicate: 'Duplicate', delete: 'Delete', useit: 'Use in the job', nametaken: 'The name {} is taken.', noname: 'A name needs letters or digits.', nodeprice: 'USD per node-hour', listed: 'as listed', oflink: 'In this link only, not kept in this browser.', keepit: 'Keep', keepown: 'Keep as own model', unkept: 'This browser keeps nothing for this page: own items last until it is closed, or in its link.', gone: '{} is deleted.', undo: 'Undo', folder: 'Own items for the command line (.zip)',
    price: 'Kind of price', 'gpu-hour-price': 'Price per accelerator-hour', pointat: 'Point at a task to see its micro-batch, start, end and duration. Keys: + and − zoom, ← and → move, 0 shows the whole step.', theirprint: 'as printed', besideours: 'Theirs beside ours', openrows: 'Load a timeline (CSV, .xlsx, trace)', workbook: 'Spreadsheet with live formulas', workbookhelp: 'Every term in the spreadsheet is a formula of its symbols; the yellow cells can be edited. The command line writes the same file:', pretrain: 'Before training', aftertrain: 'After training', steptime: 'Measured step time',
    goal_time: 'shortest time', goal_cost: 'lowest cost', goal_memory: 'least memory', goal_energy: 'least energy', searchparts: 'parts searched', cancelled: 'Cancelled', evaluated: 'layouts evaluated', why: 'Why', layout: 'Layout', tiehelp: '= tied: the differences are within the prediction error.',
    owntimeline: 'Own timeline', owntimelinehelp: 'CSV, one row per task:', frompredicted: 'Fill in the prediction', later: 'end of the first job’s step', than: 'Below each timeline: mean seconds per stage, in brackets the difference from the first job; differences above 1% of its step are highlighted.', lone: 'Keep a second job to compare with.', loss: 'loss', modelsize: 'parameters',
    slowest: 'slowest', nofile: 'No file yet.', own: 'own rows', native: 'native engine', sweephelp: 'Vary one or two settings; the others stay as in the controls. Format: setting=value,value.', verdict: 'Fits?',
    guidehelp: 'Choose a model, a cluster and a goal. Tensor, pipeline, context and expert degrees set in the controls are kept; everything else is searched.', sheethelp: 'Before training: the best plans, memory by module and by ZeRO stage. After training: what a measured step time comes to.', comparehelp: 'Keep jobs in Estimate, or drop saved jobs here, and see them side by side.', customhelp: 'The job and its answer as files: download, edit, load again.', measurehelp: 'Drop a training log, a Chrome trace or a benchmark.csv anywhere on the page.', optimalhelp: 'The best model size and number of training tokens for a compute budget.', methodshelp: 'What published calculators say about the same run.',
    nothing: 'Nothing kept yet.', name: 'Name', ratio: 'Step, over the first', download: 'Download', load: 'Load', input: 'Job as JSON', answeras: 'Answer as', unavailable: 'This engine does not answer this question.',
    budget: 'Compute (FLOP)', size: 'Size', iteration: 'Iteration', median: 'median', predicted: 'Predicted', measured: 'Measured', method: 'Calculator', anycalculator: 'Any published calculator', computeit: 'Compute', measuredfile: 'Log', fact: 'Fact', theirs: 'Theirs', ours: 'Ours', plansbyzero: 'Memory by ZeRO stage', variation: 'Vary', sweep: 'Sweep',
};

const zh = {
    code: 'zh', comma: '，', semicolon: '；',
    title: 'traincost', tagline: '训练一个语言模型需要多少显存、时间和费用',
    skip: '跳到结果', language: '语言', theme: '主题', light: '浅色', dark: '深色', auto: '跟随系统',
    modes: '模式', ask: '估算', guide: '向导', sheet: '表格', custom: '自定义', measure: '实测', compare: '比较', optimal: '计算最优', methods: '已发表的计算器',
    model: '模型', cluster: '集群', run: '运行设置', parallel: '并行', more: '其他全部设置', find: '查找设置',
    gpu: '加速器', gpus: '加速器数量', 'cluster.': '集群', 'per-node': '每节点', seq: '序列长度', 'micro-batch': '微批大小', 'global-batch': '全局批大小', tokens: '训练词元数', stack: '软件栈', precision: '精度', optimizer: '优化器', recompute: '重计算', tp: '张量并行', pp: '流水线并行', vp: '虚拟阶段', dp: '数据并行', cp: '上下文并行', ep: '专家并行', zero: 'ZeRO 级别', 'sequence-parallel': '序列并行', schedule: '流水线调度',
    unsaid: '默认', unset: '默认值', clear: '清除', drop: '把 config.json、启动文件或日志拖到或粘贴到页面任意处', choose: '选择文件', remove: '移除', slider: '滑块',
    result: '结果', starting: '正在启动引擎……', fits: '放得下', risky: '放得下，但余量很小', misfit: '放不下', unsure: '可能放不下', thrashes: '放得下，但内存紧张：', thrashing: '的单步时间用于分配器反复释放和申请显存', short: '，缺少 {}', chance: '放得下的概率', used: '使用 {}，容量 {}', chanceof: '，放得下的概率 {}',
    remedies: '可行的改法', nearest: '单项改动都不够，最接近的是', apply: '采用', use: '改为', wrong: '无法计算', stale: '以下是上一个有效设置的数字。',
    step: '单步时间', rate: '每秒词元', pergpu: '每加速器', eachgpu: '每加速器 {}', oftokens: '训练 {} 词元', eachmillion: '每百万词元 {}', mfu: 'MFU', hfu: 'HFU', days: '天数', hours: 'GPU 小时', cost: '费用', energy: '能耗', memory: '显存', range: '80% 区间', params: '参数量', active: '激活', ofactive: '激活 {}', flops: '模型 TFLOP/s', million: '每百万词元', co2: 'CO₂', goodput: '有效时间比',
    bystage: '各流水线阶段的显存', stage: '阶段', capacity: '容量', breakdown: '单步时间的组成', timeline: '一步的时间线', timelinehelp: '每行是一个流水线阶段，数字是微批编号。', forward: '前向', backward: '反向', input_gradient: '输入梯度', weight_gradient: '权重梯度', other: '流水线之后', idle: '空闲', usage: '各通道的忙碌比例', overstep: '一步中的显存', atmoment: '{} 时：{}', zoomin: '放大', zoomout: '缩小', left: '更早', right: '更晚', whole: '整步',
    compute: '计算', tensor_parallel: '张量并行', data_parallel: '数据并行', pipeline: '流水线', host: '主机',
    assumed: '假设', explain: '解释', table: '以表格显示', part: '部分', share: '占比', value: '数值', close: '关闭', of: '/',
    sharing: '分享', report: '报告 (HTML)', launchfile: '启动文件', link: '复制链接', copied: '已复制', json: 'JSON', csv: 'CSV', line: '命令行', png: 'PNG', svg: 'SVG', save: '留作比较', saved: '已保留 {} 个任务',
    toolong: '文件太大，链接中不包含它们；“自定义”中的任务 JSON 包含。',
    bylane: '按通道分行',
    badfile: '无法读取此文件', toolarge: '大于 64 MB', files: '文件', readas: '识别为',
    changed: '已变化', search: '搜索', cancel: '取消', searching: '搜索中', best: '目前最好', plans: '方案', takeplan: '采用此方案', goal: '目标', noplan: '没有方案放得下。', done: '完成',
    ownmodels: '自己的模型', ownclusters: '自己的加速器和集群', ownhelp: '复制任务正在使用的项，或添加 JSON。自己的项与目录中的项一起出现在搜索列表里。', own_: '自己的', copyof: '复制 {} 并修改', fromjson: '从 JSON 添加', asjson: '以 JSON 显示', add: '添加', modeljson: 'config.json，或目录格式的模型 JSON', clusterjson: '目录格式的加速器或集群', norecord: '这不是模型、加速器或集群。', otherkind: '这是另一类：{}。', edit: '编辑', duplicate: '复制', delete: '删除', useit: '用于当前任务', nametaken: '名称 {} 已被使用。', noname: '名称需要字母或数字。', nodeprice: '每节点小时美元', listed: '目录价格', oflink: '只在此链接中，未保存在此浏览器。', keepit: '保存', keepown: '存为自己的模型', unkept: '此浏览器不为本页保存数据：自己的项在关闭页面后只保留在链接里。', gone: '{} 已删除。', undo: '撤销', folder: '供命令行使用的自己的项 (.zip)',
    price: '价格类型', 'gpu-hour-price': '每加速器小时价格', pointat: '指向任务可查看微批次、开始、结束和用时；按 + − ← → 和 0 缩放、移动、显示全部。', theirprint: '原样输出', besideours: '对方与本程序', openrows: '从 CSV、.xlsx 或跟踪文件载入时间线', workbook: '带公式的电子表格', workbookhelp: '电子表格中每一项都是公式，黄色单元格可以修改。命令行程序生成同样的表格：', pretrain: '训练前', aftertrain: '训练后', steptime: '实测单步时间',
    goal_time: '时间最短', goal_cost: '费用最低', goal_memory: '显存最少', goal_energy: '能耗最低', searchparts: '个部分已搜索', cancelled: '已取消', evaluated: '种布局已评估', why: '理由', layout: '布局', tiehelp: '= 并列：差异在预测误差之内。',
    owntimeline: '自定义时间线', owntimelinehelp: 'CSV，每行一个任务：', frompredicted: '填入预测', later: '第一个任务的单步在此结束', than: '每个时间线下方：各阶段的平均秒数，括号内为与第一个之差；超过其单步时间 1% 的差异有底色。', lone: '再保留一个任务即可比较。', loss: '损失', modelsize: '参数量',
    slowest: '最慢', nofile: '还没有文件。', own: '自定义行', native: '本机引擎', sweephelp: '改变一到两个设置，其余与左侧相同；写法：设置名=值1,值2。', verdict: '能否放下',
    guidehelp: '选择模型、集群和目标。已设置的张量、流水线、上下文和专家并行度保持不变，其余设置由搜索决定。', sheethelp: '训练前：最佳方案、各模块和各 ZeRO 级别的显存。训练后：由实测单步时间得出的结果。', comparehelp: '在“估算”中保留任务，或把保存的任务拖到这里，并排比较。', customhelp: '任务和答案都是文件：取出、修改、再载入。', measurehelp: '把训练日志、Chrome 跟踪文件或 benchmark.csv 拖到页面任意处。', optimalhelp: '给定预算，模型应多大、训练多少词元。', methodshelp: '已发表的计算器对同一任务的结果。',
    nothing: '还没有保留的任务。', name: '名称', ratio: '单步时间(相对第一个)', download: '下载', load: '载入', input: '任务 JSON', answeras: '答案', unavailable: '此引擎不回答这个问题。',
    budget: '计算量 (FLOP)', size: '规模', iteration: '迭代', median: '中位数', predicted: '预测', measured: '实测', method: '计算器', anycalculator: '任一已发表的计算器', computeit: '计算', measuredfile: '日志', fact: '项目', theirs: '对方', ours: '本程序', plansbyzero: '各 ZeRO 级别的显存', variation: '变化', sweep: '扫描',
};

const all = { en, zh };
export const languages = { en: 'English', zh: '中文' };

export const languageOf = (state) => state.lang ?? (navigator.language?.startsWith('zh') ? 'zh' : 'en');
export const words = (lang) => (key) => all[lang]?.[key] ?? en[key] ?? key;
/** A sentence with its values in the places marked {}: where they stand depends on the language. */
export const filled = (text, ...values) => values.reduce((said, value) => said.replace('{}', value), text);

/** A field's label; of one that the page does not lay out, its flag. */
export const label = (t, name) => {
    const said = t(name === 'cluster' ? 'cluster.' : name);
    return said === name && name.length > 3 ? name : said;
};
