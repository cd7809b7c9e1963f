// Names in the engine's answers, in the words of the page. What has no words here keeps the engine's name.

const parts = {
    weights: ['weights', '权重'], master_weights: ['master weights', '主权重'], gradients: ['gradients', '梯度'], optimizer_states: ['optimizer states', '优化器状态'], adapters: ['adapters', '适配器'],
    saved_activations: ['saved activations', '保存的激活'], block_inputs: ['block inputs', '层输入'], cast_weights: ['cast weights', '转换精度的权重'], gathered_weights: ['gathered weights', '汇集的权重'], gradient_staging: ['gradient staging', '梯度暂存'],
    working_set: ['working set', '工作集'], pipeline_buffers: ['pipeline buffers', '流水线缓冲'], optimizer_temporaries: ['optimizer temporaries', '优化器临时量'], workspace: ['workspace', '库工作区'], fragmentation: ['fragmentation', '碎片'], context: ['driver context', '驱动上下文'], communicators: ['communicators', '通信器'],
    gemm: ['matrix products', '矩阵乘法'], attention: ['attention', '注意力'], memory_bound: ['memory-bound kernels', '访存受限算子'], recompute: ['recomputation', '重计算'], host: ['host', '主机'], tensor_parallel: ['tensor parallel', '张量并行'], context_parallel: ['context parallel', '上下文并行'], expert_parallel: ['expert parallel', '专家并行'],
    pipeline_transfer: ['pipeline transfer', '流水线传输'], bubble: ['pipeline bubble', '流水线气泡'], data_parallel: ['data parallel', '数据并行'], optimizer: ['optimizer', '优化器'], offload: ['offload', '卸载'], fixed: ['fixed cost', '固定开销'], allocator: ['allocator', '显存分配器'],
};

// Titles of tables, columns and rows: a member's name with spaces, without the unit that its value says.
const titles = {
    params: ['Parameters', '参数量'], 'params: breakdown': ['Parameters by module', '各模块的参数量'], 'memory by module': ['Memory by module', '各模块的显存'], 'memory by zero': ['Memory by ZeRO stage', '各 ZeRO 级别的显存'],
    chosen: ['The first plan', '第一个方案'], 'selection bias': ['Selection bias', '选择偏差'], assumptions: ['Assumptions', '假设'], measured: ['Measured', '实测'], predicted: ['Predicted', '预测'], remaining: ['Remaining', '剩余'], conventions: ['FLOP conventions', 'FLOP 计法'], days: ['Days', '天数'], laws: ['Scaling laws', '缩放定律'], log: ['Log', '日志'],
    verdict: ['Verdict', '结论'], 'log: oddities': ['Remarks on the log', '日志备注'],
    total: ['Total', '总计'], active: ['Active', '激活'], name: ['Name', '名称'], count: ['Count', '数量'], parameters: ['Parameters', '参数量'], evaluation: ['Evaluation', '推理'], training: ['Training', '训练'], zero: ['ZeRO', 'ZeRO'], fits: ['Fits', '放得下'], 'in stack': ['In this stack', '此软件栈支持'],
    'interval 80': ['80% range', '80% 区间'], 'step time': ['Step time', '单步时间'], mfu: ['MFU', 'MFU'], hfu: ['HFU', 'HFU'], usd: ['Cost', '费用'], kwh: ['Energy', '能耗'], seconds: ['Time', '时间'], 'gpu hours': ['GPU-hours', 'GPU 小时'], tokens: ['Tokens', '词元'], utilization: ['Utilization', '利用率'],
    'tflops per gpu': ['TFLOP/s per accelerator', '每加速器 TFLOP/s'], 'tokens per s': ['Tokens per second', '每秒词元'], 'tokens per s per gpu': ['Tokens per second per accelerator', '每加速器每秒词元'], 'model tflops per gpu': ['Model TFLOP/s per accelerator', '每加速器模型 TFLOP/s'], 'hardware tflops per gpu': ['Hardware TFLOP/s per accelerator', '每加速器硬件 TFLOP/s'], 'measured over predicted': ['Measured / predicted', '实测 / 预测'],
    'tokens per parameter': ['Tokens per parameter', '每参数词元'], loss: ['Loss', '损失'], what: ['Figure', '项目'], theirs: ['Theirs', '对方'], ours: ['Ours', '本程序'], why: ['Why', '理由'],
    kind: ['Kind', '类型'], framework: ['Framework', '框架'], iterations: ['Iterations', '迭代数'], 'first iteration': ['First iteration', '首个迭代'], 'last iteration': ['Last iteration', '最后迭代'], 'planned iterations': ['Planned iterations', '计划迭代'], 'step spread': ['Spread of steps', '单步时间的分布'],
    'samples per s': ['Samples per second', '每秒样本'], 'steps per s': ['Steps per second', '每秒步数'], 'loss last': ['Last loss', '最后损失'], 'peak memory': ['Peak memory', '显存峰值'], allocated: ['Allocated', '已分配'], reserved: ['Reserved', '已保留'], device: ['On the device', '设备上'],
    'global batch': ['Global batch', '全局批大小'], sequence: ['Sequence length', '序列长度'], 'micro steps': ['Micro-batches', '微批数'], accelerators: ['Accelerators', '加速器'], 'skipped steps': ['Skipped steps', '跳过的步'], 'nan steps': ['Steps with NaN', 'NaN 步'], restarts: ['Restarts', '重启次数'], 'repeated lines': ['Repeated lines', '重复行'], lines: ['Lines', '行数'], oddities: ['Remarks', '备注'],
    steps: ['Steps', '步数'], fastest: ['Fastest', '最快'], p90: ['90th percentile', '90 分位'], slowest: ['Slowest', '最慢'], 'slowest iteration': ['Slowest iteration', '最慢迭代'], 'slow steps': ['Slow steps', '慢步数'], 'slow share': ['Time lost to slow steps', '慢步损失的时间'],
    goodput: ['Goodput', '有效时间比'], 'mean time between failures': ['Mean time between failures', '平均故障间隔'], checkpoint: ['Checkpoint', '检查点大小'], 'checkpoint write': ['Writing a checkpoint', '写检查点'], 'checkpoint interval': ['Between checkpoints', '检查点间隔'], restart: ['Restart', '重启'], 'usd per million tokens': ['Per million tokens', '每百万词元'], price: ['Price', '价格'], 'usd per gpu hour': ['per GPU-hour {}', '每 GPU 小时 {}'], provider: ['provider', '供应商'], 'known usd per gpu hour': ['known prices {}', '已知价格 {}'], 'whole nodes': ['whole nodes', '按整节点'],
    groups: ['{} plans compared', '比较了 {} 个方案'], 'mean log': ['mean {}', '平均 {}'], 'one in five log': ['one in five above {}', '五分之一超过 {}'],
};

// Rows named by the engine: the modules of a model and what a module needs.
const modules = {
    embedding: ['embedding', '嵌入'], position: ['positions', '位置'], norm: ['norms', '归一化'], attention: ['attention', '注意力'], mlp: ['MLP', 'MLP'], router: ['router', '路由'], experts: ['experts', '专家'], shared_experts: ['shared experts', '共享专家'], head: ['output head', '输出头'], mtp: ['multi-token prediction', '多词元预测'], extra: ['extra', '其他'], recurrent: ['recurrent', '循环'],
    layers: ['layers', '层'], 'layer input, per sequence': ['input of a layer, per sequence', '每序列的层输入'], 'activations, per sequence': ['activations, per sequence', '每序列的激活'], all: ['all', '全部'],
};

const at = { en: 0, zh: 1 };
const wordOf = (list) => (t, name) => (Object.hasOwn(list, name) ? list[name][at[t('code')]] : undefined);

/** A part of memory or of a step, a lane or a task. */
export const partName = (t, name) => wordOf(parts)(t, name) ?? name.replaceAll('_', ' ');
export const titleOf = wordOf(titles);
export const moduleName = (t, name) => wordOf(modules)(t, name) ?? name;

// Fields that assumptions are about, and what is said of most of them. Other sentences of the engine stay English.
const subjects = {
    cluster: '集群', stack: '软件栈', dp: '数据并行', precision: '精度', sequence: '序列长度', optimizer: '优化器', recompute: '重计算', zero: 'ZeRO', attention: '注意力', compile: '编译', dropout: 'dropout', 'sequence parallelism': '序列并行', schedule: '流水线调度', price: '价格', failures: '故障', 'global batch': '全局批大小', 'micro-batch': '微批大小', experts: '专家', 'tokens done': '已训练词元', network: '网络',
};
const sentences = [
    [/^(.+), the usual node for (.+?): (\d+) per node, (.+?) at (.+?)(?: among (\d+))?, (.+) at (.+) per accelerator between nodes$/, (all, id, of, n, link, speed, among, fabric, between) => `按 ${of} 的常用节点（${id}）：每节点 ${n} 个，${among ? `${among} 个之间` : '节点内'} ${link} ${speed}，节点间每加速器 ${fabric} ${between}`],
    [/^non-blocking fabric between nodes \(full bisection\)$/, '节点间网络视为无阻塞（全对分带宽）'],
    [/^(.+), usual on (.+) accelerators$/, '$1，$2 加速器上的常用软件栈'],
    [/^(.+), usual for (.+) on (.+) accelerators$/, '$1，$3 加速器上 $2 的常用软件栈'],
    [/^(.+), default of (.+)$/, '$1，$2 的默认做法'],
    [/^(.+), launch default of (.+)$/, '$1，$2 启动时的设置'],
    [/^(.+) is (\d+) tokens, K = 1024$/, '$1 即 $2 个词元（K = 1024）'],
    [/^(.+), common default$/, '$1，未说明时的常用值'],
    [/^(.+), maximum of (.+)$/, '$1，$2 的全部位置'],
    [/^(.+), (.+) tokens per step, usual in pre-training$/, '$1，每步 $2 词元，预训练的常用值'],
    [/^(.+), usual for adapter tuning$/, '$1，微调适配器的常用值'],
    [/^(.+) per node-hour, (.+) per GPU-hour, on-demand, (.+), as of (.+)$/, '每节点小时 $1，每 GPU 小时 $2，按需，$3，$4'],
    [/^not counted, nor are checkpoints$/, '不计故障和检查点'],
    [/^the busiest rank gets (.+) times the mean of the routed tokens$/, '最忙的进程分到平均路由词元的 $1 倍'],
];

/** What an assumption says, without its field and flag. */
export function assumptionBody(t, body) {
    if (t('code') !== 'zh') return body;
    const found = sentences.find(([form]) => form.test(body));
    return found ? body.replace(...found) : body;
}

/** A whole line of an assumption: field, what is taken, flag. */
export function assumptionLine(t, { line, field, body, flags }) {
    if (t('code') !== 'zh' || !field) return line;
    return `${subjects[field] ?? field}：${assumptionBody(t, body)}${flags ? ` ${flags}` : ''}`;
}

const runs = (text) => text
    .replace(/(\d+) runs? of other stacks and accelerators from (\d+) sources?/, '其他软件栈和加速器的 $1 次运行（$2 个来源）')
    .replace(/(\d+) runs? of (.+?) on (.+?) from (\d+) sources?/, '$3 上 $2 的 $1 次运行（$4 个来源）')
    .replace(/, (\d+) other runs? from (\d+) sources?/, '，以及其他 $1 次运行（$2 个来源）')
    .replace(', unmeasured kernels', '，其算子未经实测')
    .replace(/, exposed communication (.+) of the step/, '，未被掩盖的通信占单步的 $1');

/** The measured runs that a range comes from. */
export const runsText = (t, text) => (t('code') === 'zh' ? runs(text) : text);

const compared = /^(?:(.+) times as long as predicted|(.+) (slower|faster) than predicted)(, within the 80% interval of comparable runs|, (slower|faster) than nine in ten comparable runs)?(?:; likely cause: (.+))?\.$/;
const speeds = { slower: '慢', faster: '快' };

/** The engine's conclusion about a measured step. */
export function verdictText(t, line) {
    if (t('code') !== 'zh') return line;
    const impossible = /^Impossible as stated: (.+) of the peak\./.exec(line);
    if (impossible) return `所给数据不可能成立：达到峰值的 ${impossible[1]}。请检查实测时间、批大小、加速器数量和精度。`;
    const alike = /^As fast as predicted, within (.+)\.$/.exec(line);
    if (alike) return `与预测一致，相差不到 ${alike[1]}。`;
    const said = compared.exec(line);
    if (!said) return line;
    const [, times, share, way, range, beyond, cause] = said;
    return `${times ? `用时是预测的 ${times} 倍` : `比预测${speeds[way]} ${share}`}${beyond ? `，比九成同类运行${speeds[beyond]}` : range ? '，在同类运行的 80% 区间内' : ''}${cause ? `；可能的原因：${cause}` : ''}。`;
}
