# --- layers ---------------------------------------------------------------------------------------------

E4M3_MAX = 448.0


def quantised(x, dim):
    """`x` in float8 (e4m3) with the scale that undoes it: one for the tensor, or one a slice along `dim`."""
    top = x.abs().amax() if dim is None else x.abs().amax(dim=dim, keepdim=True)
    scale = (top.float() / E4M3_MAX).clamp(min=1e-12)
    return (x.float() / scale).clamp(-E4M3_MAX, E4M3_MAX).to(torch.float8_e4m3fn), scale


class Fp8Product(torch.autograd.Function):
    """x · wᵀ and both products of its backward pass by torch._scaled_mm, inputs quantised as they come."""

    @staticmethod
    def product(a, b, rowwise, out_dtype):
        """a · bᵀ for row-major a (m, k) and b (n, k)."""
        a8, a_scale = quantised(a, 1 if rowwise else None)
        b8, b_scale = quantised(b, 1 if rowwise else None)
        return torch._scaled_mm(a8, b8.t(), scale_a=a_scale, scale_b=b_scale.t() if rowwise else b_scale,
                                out_dtype=out_dtype, use_fast_accum=False)

    @staticmethod
    def forward(ctx, x, w, rowwise):
        ctx.save_for_backward(x, w)
        ctx.rowwise = rowwise
        return Fp8Product.product(x, w, rowwise, x.dtype)

    @staticmethod
    def backward(ctx, dy):
        x, w = ctx.saved_tensors
        dy = dy.contiguous()
        dx = dw = None
        if ctx.needs_input_grad[0]:
            dx = Fp8Product.product(dy, w.t().contiguous(), ctx.rowwise, x.dtype)
        if ctx.needs_input_grad[1]:
            dw = Fp8Product.product(dy.t().contiguous(), x.t().contiguous(), ctx.rowwise, x.dtype)
        return dx, dw, None


class Linear(nn.Linear):
    """A product with its bias; in float8 where the job says so and `eight_bit` allows it."""

    def __init__(self, job, inputs, outputs, bias, eight_bit=True):
        super().__init__(inputs, outputs, bias=bias)
        self.eight_bit = eight_bit and job.fp8
        self.rowwise = job.how["fp8_scaling"] == "rowwise"
        self.compute = job.compute

    def forward(self, x):
        if not self.eight_bit:
            return F.linear(x, self.weight, self.bias)
        shape = x.shape[:-1]
        flat = x.reshape(-1, x.shape[-1]).to(self.compute)
        y = Fp8Product.apply(flat, self.weight.to(self.compute), self.rowwise).view(*shape, -1)
        return y if self.bias is None else y + self.bias.to(y.dtype)


class Adapter(nn.Module):
    """A low-rank pair beside a frozen product."""

    def __init__(self, job, inputs, outputs):
        super().__init__()
        rank = job.run["adapter"]["rank"]
        self.down = nn.Parameter(torch.empty(rank, inputs))
        self.up = nn.Parameter(torch.zeros(outputs, rank))
        self.dropout = job.run["adapter"].get("dropout", 0.0)
        self.scale = 2.0

    def forward(self, x):
        return F.linear(F.linear(F.dropout(x, self.dropout, self.training), self.down), self.up) * self.scale


def adapter_of(job, name, inputs, outputs):
    return Adapter(job, inputs, outputs) if job.lora and job.run["adapter"].get(name) else None


def adapted(y, x, adapter):
    return y if adapter is None else y + adapter(x)


class Norm(nn.Module):
    def __init__(self, kind, width, bias):
        super().__init__()
        self.kind = kind
        self.width = width
        learned = kind != "nonparametric"
        self.weight = nn.Parameter(torch.ones(width)) if learned else None
        self.bias = nn.Parameter(torch.zeros(width)) if learned and bias else None

    def forward(self, x):
        if self.kind == "rmsnorm":
            y = F.rms_norm(x, (self.width,), self.weight, 1e-5)
            return y if self.bias is None else y + self.bias
        return F.layer_norm(x, (self.width,), self.weight, self.bias, 1e-5)


def norm_of(job):
    return Norm(job.model["norm"]["kind"], job.model["hidden"], job.model["norm"]["bias"])


ACTIVATIONS = {
    "gelu": F.gelu,
    "gelu_tanh": functools.partial(F.gelu, approximate="tanh"),
    "gelu_new": functools.partial(F.gelu, approximate="tanh"),
    "gelu_fast": functools.partial(F.gelu, approximate="tanh"),
    "quick_gelu": lambda x: x * torch.sigmoid(1.702 * x),
    "relu": F.relu,
    "silu": F.silu,
    "squared_relu": lambda x: F.relu(x).square(),
}


def maybe_checkpoint(dropped, function, *inputs):
    """`function` of the inputs, run again in the backward pass where selective recomputation drops it."""
    if not dropped or not torch.is_grad_enabled():
        return function(*inputs)
    return checkpoint(function, *inputs, use_reentrant=False)


class Mlp(nn.Module):
    def __init__(self, job, width, gated, bias):
        super().__init__()
        hidden = job.model["hidden"]
        self.gated = gated
        self.fused = gated and job.stack["layer"]["fused_gate_up"]
        self.activation = ACTIVATIONS[job.model["activation"]]
        self.drops_activation = job.drops("activation")
        if self.fused:
            self.gate_up = Linear(job, hidden, 2 * width, bias)
        else:
            self.gate = Linear(job, hidden, width, bias) if gated else None
            self.up = Linear(job, hidden, width, bias)
        self.down = Linear(job, width, hidden, bias)
        self.gate_adapter = adapter_of(job, "mlp", hidden, width) if gated else None
        self.up_adapter = adapter_of(job, "mlp", hidden, width)
        self.down_adapter = adapter_of(job, "mlp", width, hidden)

    def product(self, gate, up):
        return self.activation(up) if gate is None else self.activation(gate) * up

    def forward(self, x):
        if self.fused:
            gate, up = self.gate_up(x).chunk(2, dim=-1)
        else:
            gate, up = self.gate(x) if self.gated else None, self.up(x)
        if self.gated:
            gate = adapted(gate, x, self.gate_adapter)
        up = adapted(up, x, self.up_adapter)
        h = maybe_checkpoint(self.drops_activation, self.product, gate, up)
        return adapted(self.down(h), h, self.down_adapter)


def grouped_product(x, w, ends, counts):
    """Rows of x (tokens, k), sorted by expert, times w (experts, k, n): one kernel where the device has it."""
    if x.is_cuda and x.dtype == torch.bfloat16 and torch.cuda.get_device_capability()[0] >= 9:
        product = getattr(F, "grouped_mm", None) or torch._grouped_mm
        return product(x, w, offs=ends)
    parts = x.split(counts.tolist())
    return torch.cat([part @ w[i] for i, part in enumerate(parts)])


class Experts(nn.Module):
    """A mixture of experts on every rank: tokens are sorted by expert, and each token's results are summed."""

    def __init__(self, job):
        super().__init__()
        moe, hidden = job.model["moe"], job.model["hidden"]
        self.gated = moe.get("gated", job.model["gated_mlp"])
        self.experts, self.top_k, width = moe["experts"], moe["top_k"], moe["ffn"]
        self.compute = job.compute
        self.activation = ACTIVATIONS[job.model["activation"]]
        self.router = Linear(job, hidden, self.experts, moe.get("router_bias", False), eight_bit=False)
        self.sigmoid = moe.get("score_correction_bias", False)
        self.correction = nn.Parameter(torch.zeros(self.experts)) if self.sigmoid else None
        self.gate = nn.Parameter(torch.empty(self.experts, hidden, width)) if self.gated else None
        self.up = nn.Parameter(torch.empty(self.experts, hidden, width))
        self.down = nn.Parameter(torch.empty(self.experts, width, hidden))
        biases = moe.get("expert_bias", False)
        self.up_bias = nn.Parameter(torch.zeros(self.experts, (2 if self.gated else 1) * width)) if biases else None
        self.down_bias = nn.Parameter(torch.zeros(self.experts, hidden)) if biases else None
        shared = moe.get("shared_ffn", 0)
        self.shared = Mlp(job, shared, self.gated, biases) if shared else None
        self.shared_gate = Linear(job, hidden, 1, False, eight_bit=False) if moe.get("shared_gate") else None
        residual = moe.get("dense_residual_ffn")
        self.residual = Mlp(job, residual, job.model["gated_mlp"], job.model["bias"]["mlp"]) if residual else None

    def routed(self, x):
        """Chosen experts and their weights, (tokens, top_k) each."""
        logits = self.router(x).float()
        scores = logits.sigmoid() if self.sigmoid else logits.softmax(dim=-1)
        # The correction steers the choice only; its zero share in the weights gives it a gradient to hold.
        ranking = scores + self.correction.float() if self.sigmoid else scores
        chosen = ranking.topk(self.top_k, dim=-1).indices
        weights = scores.gather(-1, chosen)
        if self.sigmoid:
            weights = weights / weights.sum(dim=-1, keepdim=True) + 0.0 * self.correction.float().sum()
        return chosen, weights

    def expert_mlp(self, x, expert, ends, counts):
        up = grouped_product(x, self.up.to(x.dtype), ends, counts)
        gate = grouped_product(x, self.gate.to(x.dtype), ends, counts) if self.gated else None
        if self.up_bias is not None:
            bias = self.up_bias.to(x.dtype)[expert].chunk(2, dim=-1) if self.gated else [self.up_bias[expert]]
            up = up + bias[-1].to(x.dtype)
            gate = gate + bias[0] if self.gated else None
        h = self.activation(up) if gate is None else self.activation(gate) * up
        y = grouped_product(h, self.down.to(x.dtype), ends, counts)
        return y if self.down_bias is None else y + self.down_bias.to(x.dtype)[expert]

    def forward(self, x):
        shape = x.shape
        flat = x.reshape(-1, shape[-1])
        chosen, weights = self.routed(flat)
        expert, order = chosen.flatten().sort(stable=True)
        counts = torch.zeros(self.experts, dtype=torch.int64, device=x.device)
        counts = counts.scatter_add(0, expert, torch.ones_like(expert))
        ends = counts.cumsum(0).to(torch.int32)
        token = order // self.top_k
        y = self.expert_mlp(flat[token].to(self.compute), expert, ends, counts)
        y = y * weights.flatten()[order].unsqueeze(-1).to(y.dtype)
        out = torch.zeros(flat.shape, dtype=y.dtype, device=x.device).index_add(0, token, y)
        if self.shared is not None:
            shared = self.shared(flat)
            out = out + (shared if self.shared_gate is None else shared * self.shared_gate(flat).sigmoid())
        if self.residual is not None:
            out = out + self.residual(flat)
        return out.view(shape)
