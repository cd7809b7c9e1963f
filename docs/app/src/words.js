// The page's words in its two languages. Names of the engine's answers are in engine_words.js; its other
// sentences (help, equations) are English in both; errors are in engine_errors.js.

const en = {
    code: 'en', space: ' ', comma: ', ', semicolon: '; ',
    title: 'traincost', tagline: 'What training a language model takes: memory, time, money',
    skip: 'Skip to the results', language: 'Language', theme: 'Theme', light: 'Light', dark: 'Dark', auto: 'System',
    modes: 'Modes', ask: 'Estimate', guide: 'Guide', sheet: 'Sheets', custom: 'Custom', measure: 'Measured', compare: 'Compare', optimal: 'Compute-optimal', methods: 'Published calculators',
    model: 'Model', cluster: 'Cluster', run: 'Run', parallel: 'Parallelism', more: 'All other settings', find: 'Find a setting',
    gpu: 'Accelerator', gpus: 'Accelerators', 'cluster.': 'Cluster', 'per-node': 'Accelerators per node', 'bus-bandwidth': 'Link per accelerator within a node (GB/s)', 'network-bandwidth': 'Network per node (Gbit/s)', seq: 'Sequence length', 'micro-batch': 'Micro-batch', 'global-batch': 'Global batch', tokens: 'Training tokens', stack: 'Software stack', precision: 'Precision', optimizer: 'Optimizer', recompute: 'Recomputation', tp: 'Tensor parallel', pp: 'Pipeline parallel', vp: 'Virtual stages', dp: 'Data parallel', cp: 'Context parallel', ep: 'Expert parallel', zero: 'ZeRO stage', 'sequence-parallel': 'Sequence parallel', 'tp-overlap': 'Tensor-parallel overlap', schedule: 'Pipeline schedule',
    unsaid: 'default', unset: 'the default', clear: 'Clear', drop: 'Drop or paste a config.json, a launch file or a log anywhere', choose: 'Choose files', remove: 'Remove', slider: 'slider',
    result: 'Result', starting: 'Starting the engine …', fits: 'Fits', risky: 'Fits, with little to spare', misfit: 'Does not fit', unsure: 'May not fit', thrashes: 'Fits, but thrashes:', thrashing: '{} of each step go to the allocator, which frees memory and asks for it again', short: ': short by {}', chance: 'Chance of fitting', used: '{} used of {}', chanceof: ', {} chance of fitting',
    remedies: 'What would fit:', nearest: 'No single change is enough; the closest are:', apply: 'Apply', use: 'Use', wrong: 'This cannot be computed', stale: 'The figures below are those of the last valid job.',
    step: 'Step', rate: 'Tokens per second', pergpu: 'per accelerator', eachgpu: '{} per accelerator', oftokens: '{} training tokens', eachmillion: '{} per million tokens', mfu: 'MFU', hfu: 'HFU', days: 'Days', hours: 'GPU-hours', cost: 'Cost', energy: 'Energy', memory: 'Memory', range: '80% range', params: 'Parameters', ofactive: '{} active', flops: 'Model TFLOP/s', million: 'per million tokens', co2: 'CO₂', goodput: 'Goodput',
    bystage: 'Memory by pipeline stage', stage: 'Stage', capacity: 'capacity', breakdown: 'Where the step time goes', timeline: 'Timeline of one step', timelinehelp: 'Each row is a pipeline stage. Numbers are micro-batches.', forward: 'forward', backward: 'backward', input_gradient: 'input gradient', weight_gradient: 'weight gradient', other: 'after the pipeline', idle: 'idle', usage: 'Busy share of each lane', overstep: 'Memory over the step', atmoment: 'at {}: {}', zoomin: 'Zoom in', zoomout: 'Zoom out', left: 'Earlier', right: 'Later', whole: 'Whole step',
    compute: 'compute', tensor_parallel: 'tensor parallel', data_parallel: 'data parallel', pipeline: 'pipeline', host: 'host',
    assumed: 'Assumptions', usualone: 'Assumed', explain: 'Explain', table: 'As a table', part: 'Part', share: 'Share', value: 'Value', close: 'Close',
    sharing: 'Share', report: 'Report (HTML)', launchfile: 'Launch file', link: 'Copy link', copied: 'Copied', json: 'JSON', csv: 'CSV', line: 'Command line', png: 'PNG', svg: 'SVG', save: 'Keep for comparison', saved: '{} kept',
    toolong: 'The files are too large for a link, which leaves them out. The job as JSON (Custom) has them.',
    bylane: 'One row per lane',
    badfile: 'This file cannot be read', toolarge: 'larger than 64 MiB', files: 'Files',
    search: 'Search', cancel: 'Cancel', searching: 'Searching', best: 'best so far:', plans: 'Plans', takeplan: 'Take this plan', goal: 'Goal', noplan: 'No plan fits.',
    ownmodels: 'Your models', ownclusters: 'Your accelerators and clusters', ownhelp: 'Copy what the job uses, or add JSON. Your entries appear in every search list, next to those of the catalogue.', own_: 'yours', copyof: 'Copy {} to edit', fromjson: 'Add from JSON', asjson: 'As JSON', add: 'Add', modeljson: 'config.json, or a model of the catalogue as JSON', clusterjson: 'An accelerator or a cluster, as in the catalogue', norecord: 'This is not a model, an accelerator or a cluster.', otherkind: 'This entry is of another kind: {}.', edit: 'Edit', duplicate: 'Duplicate', delete: 'Delete', useit: 'Use in the job', nametaken: 'The name {} is taken.', noname: 'A name needs letters or digits.', nodeprice: 'USD per node-hour', listed: 'as listed', oflink: 'Only in this link, not saved in this browser.', keepit: 'Save', keepown: 'Save as your model', unkept: 'This browser saves nothing for this page: your entries last until the page is closed, unless its link carries them.', gone: '{} was deleted.', undo: 'Undo', folder: 'Your entries for the command line (.zip)',
    price: 'Kind of price', 'gpu-hour-price': 'Price per accelerator-hour', pointat: 'Point at a task to see its micro-batch, start, end and duration. Keys: + and − zoom, ← and → move, 0 shows the whole step.', theirprint: 'as printed', besideours: 'Theirs beside ours', openrows: 'Load a timeline (CSV, .xlsx, trace)', workbook: 'Spreadsheet with live formulas', workbookhelp: 'Every term in the spreadsheet is a formula of its symbols; the yellow cells can be edited. The command line writes the same file:', pretrain: 'Before training', aftertrain: 'After training', steptime: 'Measured step time',
    goal_time: 'shortest time', goal_cost: 'lowest cost', goal_memory: 'least memory', goal_energy: 'least energy', searchparts: '{} of {} parts searched', cancelled: 'Cancelled', evaluated: '{} layouts evaluated in {}', why: 'Why', layout: 'Layout', tiehelp: '= tied: the differences are within the prediction error.',
    owntimeline: 'Your own timeline', owntimelinehelp: 'CSV with one row per task:', frompredicted: 'Fill in the prediction', later: 'end of the first job’s step', than: 'Below each timeline: mean seconds per stage, in brackets the difference from the first job; differences above 1% of its step are highlighted.', lone: 'Keep a second job to compare it with.', loss: 'loss', modelsize: 'parameters',
    slowest: 'slowest', nofile: 'No file yet.', own: 'your rows', native: 'native engine', sweephelp: 'Vary one or two settings; the others stay as in the controls. Format: setting=value,value.', verdict: 'Fits?',
    guidehelp: 'Choose a model, a cluster and a goal. Tensor, pipeline, context and expert degrees that you set are kept; data parallelism, virtual stages, ZeRO stage, micro-batch, recomputation, schedule and sequence parallelism are searched.', sheethelp: 'Before training: the best plans, memory by module and by ZeRO stage. After training: what follows from a measured step time.', comparehelp: 'Keep jobs in Estimate, or drop saved jobs here, and see them side by side.', customhelp: 'The job and its answer as files: download, edit, load again.', measurehelp: 'Drop a training log, a Chrome trace or a benchmark.csv anywhere on the page.', optimalhelp: 'The best model size and number of training tokens for a compute budget.', methodshelp: 'What published calculators say about the same run.',
    nothing: 'No jobs kept yet.', name: 'Name', ratio: 'Step, relative to the first', download: 'Download', load: 'Load', input: 'Job as JSON', answeras: 'Answer as',
    budget: 'Compute (FLOP)', iteration: 'Iteration', median: 'median', predicted: 'Predicted', measured: 'Measured', method: 'Calculator', anycalculator: 'Any published calculator', variation: 'Vary', sweep: 'Sweep',
    colon: ': ', period: '. ', rangefrom: 'The 80% range, {}, is as wide as four in five comparable runs were off their predictions; comparable runs: {}.', chancefrom: 'The chance of fitting, {}, comes from the same runs.', picked: 'Iteration {} of {}: {} measured', beside: ', {} predicted',
    noengine: 'This browser cannot start the engine: {}', enginefailed: 'The engine failed on this question and was restarted: {}', largequestion: 'This question is too large for the memory of a page.', stopped: 'Stopped.', noserver: 'No answer from the program. Is traincost serve still running?',
    notsheet: '{}: not a spreadsheet (.xlsx)', nosheetpart: '{}: not a spreadsheet (.xlsx): it has no {}', nosuchsheet: '{}: has no sheet {}; its sheets: {}', nojob: 'There is no job in this JSON: it needs a member "job".',
};

const zh = {
    code: 'zh', space: '', comma: '，', semicolon: '；',
    title: 'traincost', tagline: '训练一个语言模型需要多少显存、时间和费用',
    skip: '跳到结果', language: '语言', theme: '主题', light: '浅色', dark: '深色', auto: '跟随系统',
    modes: '模式', ask: '估算', guide: '向导', sheet: '表格', custom: '自定义', measure: '实测', compare: '比较', optimal: '计算最优', methods: '已发表的计算器',
    model: '模型', cluster: '集群', run: '运行设置', parallel: '并行', more: '其他设置', find: '查找设置',
    gpu: '加速器', gpus: '加速器数量', 'cluster.': '集群', 'per-node': '每节点加速器数', 'bus-bandwidth': '节点内每加速器链路 (GB/s)', 'network-bandwidth': '每节点网络 (Gbit/s)', seq: '序列长度', 'micro-batch': '微批大小', 'global-batch': '全局批大小', tokens: '训练词元数', stack: '软件栈', precision: '精度', optimizer: '优化器', recompute: '重计算', tp: '张量并行', pp: '流水线并行', vp: '虚拟阶段', dp: '数据并行', cp: '上下文并行', ep: '专家并行', zero: 'ZeRO 级别', 'sequence-parallel': '序列并行', 'tp-overlap': '张量并行通信重叠', schedule: '流水线调度',
    unsaid: '默认', unset: '默认值', clear: '清除', drop: '把 config.json、启动文件或日志拖到或粘贴到页面任意处', choose: '选择文件', remove: '移除', slider: '滑块',
    result: '结果', starting: '正在启动引擎……', fits: '放得下', risky: '放得下，但余量很小', misfit: '放不下', unsure: '可能放不下', thrashes: '放得下，但显存紧张：', thrashing: '每步有 {} 用于分配器反复释放和申请显存', short: '，缺少 {}', chance: '放得下的概率', used: '使用 {}，容量 {}', chanceof: '，放得下的概率 {}',
    remedies: '可行的改法：', nearest: '单项改动都不够，最接近的是：', apply: '采用', use: '改为', wrong: '无法计算', stale: '以下是上一个有效设置的数字。',
    step: '单步时间', rate: '每秒词元', pergpu: '每加速器', eachgpu: '每加速器 {}', oftokens: '训练 {} 词元', eachmillion: '每百万词元 {}', mfu: 'MFU', hfu: 'HFU', days: '天数', hours: 'GPU 小时', cost: '费用', energy: '能耗', memory: '显存', range: '80% 区间', params: '参数量', ofactive: '激活 {}', flops: '模型 TFLOP/s', million: '每百万词元', co2: 'CO₂', goodput: '有效时间比',
    bystage: '各流水线阶段的显存', stage: '阶段', capacity: '容量', breakdown: '单步时间的组成', timeline: '一步的时间线', timelinehelp: '每行是一个流水线阶段，数字是微批编号。', forward: '前向', backward: '反向', input_gradient: '输入梯度', weight_gradient: '权重梯度', other: '流水线之后', idle: '空闲', usage: '各通道的忙碌比例', overstep: '一步中的显存', atmoment: '{} 时：{}', zoomin: '放大', zoomout: '缩小', left: '更早', right: '更晚', whole: '整步',
    compute: '计算', tensor_parallel: '张量并行', data_parallel: '数据并行', pipeline: '流水线', host: '主机',
    assumed: '假设', usualone: '按假设', explain: '解释', table: '以表格显示', part: '部分', share: '占比', value: '数值', close: '关闭',
    sharing: '分享', report: '报告 (HTML)', launchfile: '启动文件', link: '复制链接', copied: '已复制', json: 'JSON', csv: 'CSV', line: '命令行', png: 'PNG', svg: 'SVG', save: '留作比较', saved: '已保留 {} 个任务',
    toolong: '文件太大，链接中不包含它们；“自定义”中的任务 JSON 包含。',
    bylane: '每个通道一行',
    badfile: '无法读取此文件', toolarge: '大于 64 MiB', files: '文件',
    search: '搜索', cancel: '取消', searching: '搜索中', best: '目前最好的方案：', plans: '方案', takeplan: '采用此方案', goal: '目标', noplan: '没有方案放得下。',
    ownmodels: '我的模型', ownclusters: '我的加速器和集群', ownhelp: '复制当前任务所用的条目，或添加 JSON。我的条目与目录中的条目一起出现在各搜索列表里。', own_: '我的', copyof: '复制 {} 并修改', fromjson: '从 JSON 添加', asjson: '以 JSON 显示', add: '添加', modeljson: 'config.json，或目录格式的模型 JSON', clusterjson: '目录格式的加速器或集群', norecord: '这不是模型、加速器或集群。', otherkind: '这个条目属于另一类：{}。', edit: '编辑', duplicate: '复制', delete: '删除', useit: '用于当前任务', nametaken: '名称 {} 已被使用。', noname: '名称需要字母或数字。', nodeprice: '每节点小时美元', listed: '目录价格', oflink: '只在此链接中，未保存在此浏览器。', keepit: '保存', keepown: '存为我的模型', unkept: '此浏览器不为本页保存数据：关闭页面后，我的条目只保留在链接里。', gone: '已删除 {}。', undo: '撤销', folder: '供命令行使用的条目 (.zip)',
    price: '价格类型', 'gpu-hour-price': '每加速器小时价格', pointat: '指向任务可查看微批次、开始、结束和用时；按 + − ← → 和 0 缩放、移动、显示全部。', theirprint: '原样输出', besideours: '对方与本程序', openrows: '从 CSV、.xlsx 或跟踪文件载入时间线', workbook: '带公式的电子表格', workbookhelp: '电子表格中每一项都是公式，黄色单元格可以修改。命令行程序生成同样的表格：', pretrain: '训练前', aftertrain: '训练后', steptime: '实测单步时间',
    goal_time: '时间最短', goal_cost: '费用最低', goal_memory: '显存最少', goal_energy: '能耗最低', searchparts: '已搜索 {} / {} 部分', cancelled: '已取消', evaluated: '已评估 {} 种布局，用时 {}', why: '理由', layout: '布局', tiehelp: '= 并列：差异在预测误差之内。',
    owntimeline: '我的时间线', owntimelinehelp: 'CSV，每行一个任务：', frompredicted: '填入预测', later: '第一个任务的单步在此结束', than: '每个时间线下方：各阶段的平均秒数，括号内为与第一个之差；超过其单步时间 1% 的差异有底色。', lone: '再保留一个任务即可比较。', loss: '损失', modelsize: '参数量',
    slowest: '最慢', nofile: '还没有文件。', own: '我的数据', native: '本机引擎', sweephelp: '改变一到两个设置，其余与左侧相同；写法：设置名=值1,值2。', verdict: '能否放下',
    guidehelp: '选择模型、集群和目标。已设置的张量、流水线、上下文和专家并行度保持不变；数据并行、虚拟阶段、ZeRO 级别、微批大小、重计算、调度和序列并行由搜索决定。', sheethelp: '训练前：最佳方案、各模块和各 ZeRO 级别的显存。训练后：由实测单步时间得出的结果。', comparehelp: '在“估算”中保留任务，或把保存的任务拖到这里，并排比较。', customhelp: '任务和答案都是文件：取出、修改、再载入。', measurehelp: '把训练日志、Chrome 跟踪文件或 benchmark.csv 拖到页面任意处。', optimalhelp: '给定预算，模型应多大、训练多少词元。', methodshelp: '已发表的计算器对同一任务的结果。',
    nothing: '还没有保留的任务。', name: '名称', ratio: '单步时间（相对第一个）', download: '下载', load: '载入', input: '任务 JSON', answeras: '答案',
    budget: '计算量 (FLOP)', iteration: '迭代', median: '中位数', predicted: '预测', measured: '实测', method: '计算器', anycalculator: '任一已发表的计算器', variation: '变化', sweep: '扫描',
    colon: '：', period: '。', rangefrom: '80% 区间为 {}：五分之四的同类运行与其预测的偏差在此范围内。同类运行：{}。', chancefrom: '放得下的概率为 {}，由同样的运行得出。', picked: '第 {} 次迭代（共 {} 次）：实测 {}', beside: '，预测 {}',
    noengine: '此浏览器无法启动引擎：{}', enginefailed: '引擎未能回答此问题，已重新启动：{}', largequestion: '此问题太大，页面的内存不够。', stopped: '已停止。', noserver: '程序没有应答。traincost serve 还在运行吗？',
    notsheet: '{}：不是电子表格 (.xlsx)', nosheetpart: '{}：不是电子表格 (.xlsx)：其中没有 {}', nosuchsheet: '{}：没有工作表 {}；已有的工作表：{}', nojob: '这段 JSON 里没有任务：缺少成员 "job"。',
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
