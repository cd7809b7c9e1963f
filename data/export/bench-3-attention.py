# --- attention ------------------------------------------------------------------------------------------


def rotated(x, cos, sin):
    """The first dimensions of each head turned by their position, written out; the others as they are."""
    width = cos.shape[-1]
    part, rest = x[..., :width], x[..., width:]
    half = torch.cat((-part[..., width // 2:], part[..., :width // 2]), dim=-1)
    part = part * cos.to(x.dtype) + half * sin.to(x.dtype)
    return part if rest.shape[-1] == 0 else torch.cat((part, rest), dim=-1)


def rotary_width(model):
    if model.get("mla"):
        return model["mla"]["qk_rope_dim"]
    return int(model["head_dim"] * model["position"].get("rope_fraction", 1.0)) // 2 * 2


def rotary_tables(model, sequence, device):
    width = rotary_width(model)
    theta = model["position"].get("rope_theta") or 10000.0
    inverse = theta ** (-torch.arange(0, width, 2, device=device, dtype=torch.float32) / width)
    angles = torch.arange(sequence, device=device, dtype=torch.float32)[:, None] * inverse
    angles = torch.cat((angles, angles), dim=-1)
    return angles.cos(), angles.sin()


def local_window(model, layer, sequence):
    """Kind and size of the window of one layer, or nothing where it sees everything."""
    window = model.get("window")
    if not window or not window.get("size") or window["size"] >= sequence:
        return None
    every = window["full_every"]
    return None if every and (layer + 1) % every == 0 else (window["kind"], window["size"])


def visible(kind, size):
    if kind == "chunked":
        return lambda b, h, q, k: (q >= k) & (q // size == k // size)
    return lambda b, h, q, k: (q >= k) & (q - k < size)


@functools.lru_cache(maxsize=None)
def block_mask(kind, size, sequence, device):
    from torch.nn.attention.flex_attention import create_block_mask
    return create_block_mask(visible(kind, size), None, None, sequence, sequence, device=device)


@functools.lru_cache(maxsize=None)
def compiled_flex():
    from torch.nn.attention.flex_attention import flex_attention
    return torch.compile(flex_attention, dynamic=False)


@functools.lru_cache(maxsize=None)
def dense_mask(kind, size, sequence, device):
    at = torch.arange(sequence, device=device)
    return visible(kind, size)(0, 0, at[:, None], at[None, :])


def kernel_generation(job):
    """The generation of flash kernel the job names, or its stack where that is not PyTorch's own choice."""
    usual = job.stack["attention"]["generation"]
    return job.run.get("attention_generation") or (usual if usual != "flash4" else None)


def attention_kernel(job):
    """A context in which attention runs the kernel the job names; without a name, what PyTorch picks."""
    named = {"flash2": "FLASH_ATTENTION", "flash3": "CUDNN_ATTENTION", "flash4": "CUDNN_ATTENTION",
             "memory_efficient": "EFFICIENT_ATTENTION", "math": "MATH"}
    math_kernel = job.run.get("attention", job.stack["attention"]["kernel"]) == "math"
    kernel = named["math"] if math_kernel else named.get(kernel_generation(job))
    if kernel is None:
        return contextlib.nullcontext()
    from torch.nn.attention import SDPBackend, sdpa_kernel
    return sdpa_kernel(getattr(SDPBackend, kernel))


class AttentionCore(nn.Module):
    """Softmax of queries and keys times values; heads are dimension 1."""

    def __init__(self, job, layer):
        super().__init__()
        self.dropout = job.dropout
        self.window = local_window(job.model, layer, job.sequence)
        self.repeats = job.compute == torch.float32 or job.stack["attention"]["repeats_kv"]  # no fp32 kernel takes groups
        self.flex = torch.cuda.is_available() and job.run.get("attention", job.stack["attention"]["kernel"]) != "math"

    def forward(self, q, k, v):
        groups = q.shape[1] // k.shape[1]
        if groups > 1 and self.repeats:
            k, v = k.repeat_interleave(groups, dim=1), v.repeat_interleave(groups, dim=1)
            groups = 1
        grouped = {"enable_gqa": True} if groups > 1 else {}
        p = self.dropout if self.training else 0.0
        if self.window and self.flex:
            mask = block_mask(*self.window, q.shape[2], str(q.device))
            return compiled_flex()(q, k, v, block_mask=mask, **grouped)
        if self.window:
            mask = dense_mask(*self.window, q.shape[2], q.device)
            return F.scaled_dot_product_attention(q, k, v, attn_mask=mask, dropout_p=p, **grouped)
        return F.scaled_dot_product_attention(q, k, v, dropout_p=p, is_causal=True, **grouped)


class Attention(nn.Module):
    def __init__(self, job, layer):
        super().__init__()
        m = job.model
        self.d = m["head_dim"]
        hidden, self.query, self.key = m["hidden"], m["heads"] * self.d, m["kv_heads"] * self.d
        self.fused = job.fused_qkv
        if self.fused:
            self.qkv = Linear(job, hidden, self.query + 2 * self.key, m["bias"]["qkv"])
        else:
            self.q = Linear(job, hidden, self.query, m["bias"]["qkv"])
            self.k = Linear(job, hidden, self.key, m["bias"]["qkv"])
            self.v = Linear(job, hidden, self.key, m["bias"]["qkv"])
        self.out = Linear(job, self.query, hidden, m["bias"]["attention_out"])
        self.q_adapter = adapter_of(job, "query", hidden, self.query)
        self.k_adapter = adapter_of(job, "key", hidden, self.key)
        self.v_adapter = adapter_of(job, "value", hidden, self.key)
        self.out_adapter = adapter_of(job, "attention_out", self.query, hidden)
        kind, bias = m["norm"]["kind"], m["norm"].get("qk_bias", m["norm"]["bias"])
        self.qk = m["norm"]["qk"]
        if self.qk != "none":
            full = self.qk == "full"
            self.q_norm = Norm(kind, self.query if full else self.d, bias)
            self.k_norm = Norm(kind, self.key if full else self.d, bias)
        every = m["position"].get("nope_every", 0)
        self.rotates = m["position"]["kind"] == "rope" and not (every and (layer + 1) % every == 0)
        self.core = AttentionCore(job, layer)
        self.drops_core = job.drops("core_attention")

    def projections(self, x):
        if self.fused:
            q, k, v = self.qkv(x).split((self.query, self.key, self.key), dim=-1)
        else:
            q, k, v = self.q(x), self.k(x), self.v(x)
        return adapted(q, x, self.q_adapter), adapted(k, x, self.k_adapter), adapted(v, x, self.v_adapter)

    def heads(self, x):
        return x.view(x.shape[0], x.shape[1], -1, self.d).transpose(1, 2)

    def forward(self, x, cos, sin):
        q, k, v = self.projections(x)
        if self.qk == "full":
            q, k = self.q_norm(q), self.k_norm(k)
        q, k, v = self.heads(q), self.heads(k), self.heads(v)
        if self.qk == "per_head":
            q, k = self.q_norm(q), self.k_norm(k)
        if self.rotates:
            q, k = rotated(q, cos, sin), rotated(k, cos, sin)
        y = maybe_checkpoint(self.drops_core, self.core, q.to(v.dtype), k.to(v.dtype), v)
        y = y.transpose(1, 2).reshape(x.shape[0], q.shape[2], -1)
        return adapted(self.out(y), y, self.out_adapter)


class LatentAttention(nn.Module):
    """Multi-head latent attention: keys and values, and queries where a rank is given, from latents."""

    def __init__(self, job, layer):
        super().__init__()
        m, a = job.model, job.model["mla"]
        self.nope, self.rope, self.v_dim = a["qk_nope_dim"], a["qk_rope_dim"], a["v_head_dim"]
        self.n, self.latent = m["heads"], a["kv_lora_rank"]
        hidden, bias, kind = m["hidden"], m["bias"]["qkv"], m["norm"]["kind"]
        query = self.n * (self.nope + self.rope)
        rank = a.get("q_lora_rank")
        self.q_down = Linear(job, hidden, rank, bias) if rank else None
        self.q_norm = Norm(kind, rank, False) if rank else None
        self.q_up = Linear(job, rank or hidden, query, False)
        self.kv_down = Linear(job, hidden, self.latent + self.rope, bias)
        self.kv_norm = Norm(kind, self.latent, False)
        self.kv_up = Linear(job, self.latent, self.n * (self.nope + self.v_dim), False)
        self.out = Linear(job, self.n * self.v_dim, hidden, m["bias"]["attention_out"])
        self.core = AttentionCore(job, layer)
        self.drops_core = job.drops("core_attention")
        self.drops_up = job.drops("mla_up")

    def unfolded(self, q_latent, kv_latent, k_rope, cos, sin):
        """Queries, keys and values of all heads."""
        b, s = kv_latent.shape[:2]
        q = self.q_up(q_latent).view(b, s, self.n, -1).transpose(1, 2)
        kv = self.kv_up(kv_latent).view(b, s, self.n, -1).transpose(1, 2)
        k, v = kv.split((self.nope, self.v_dim), dim=-1)
        q_rope = rotated(q[..., self.nope:], cos, sin)
        k_rope = rotated(k_rope.unsqueeze(1), cos, sin).expand(b, self.n, s, self.rope)
        q = torch.cat((q[..., :self.nope], q_rope), dim=-1)
        return q.to(v.dtype), torch.cat((k, k_rope.to(k.dtype)), dim=-1), v

    def attended(self, *inputs):
        return self.core(*self.unfolded(*inputs))

    def forward(self, x, cos, sin):
        q = x if self.q_down is None else self.q_norm(self.q_down(x))
        kv, k_rope = self.kv_down(x).split((self.latent, self.rope), dim=-1)
        inputs = (q, self.kv_norm(kv), k_rope, cos, sin)
        if self.drops_up:
            y = maybe_checkpoint(True, self.attended, *inputs)
        else:
            y = maybe_checkpoint(self.drops_core, self.core, *self.unfolded(*inputs))
        return self.out(y.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1))
