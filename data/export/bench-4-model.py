# --- model ----------------------------------------------------------------------------------------------


def per_op_contexts():
    """Every second product, attention and what exchanges return are kept; the rest is run again."""
    from torch.utils.checkpoint import CheckpointPolicy, create_selective_checkpoint_contexts
    ops = torch.ops
    kept = {ops.aten._scaled_dot_product_flash_attention.default, ops.aten._scaled_dot_product_cudnn_attention.default,
            ops.aten._scaled_dot_product_efficient_attention.default, ops._c10d_functional.reduce_scatter_tensor.default,
            ops._c10d_functional.all_to_all_single.default}
    products = {False: 0, True: 0}

    def policy(ctx, op, *args, **kwargs):
        if op == ops.aten.mm.default:
            products[ctx.is_recompute] += 1
        keep = op in kept or (op == ops.aten.mm.default and products[ctx.is_recompute] % 2 == 1)
        return CheckpointPolicy.MUST_SAVE if keep else CheckpointPolicy.PREFER_RECOMPUTE

    return create_selective_checkpoint_contexts(policy)


class Block(nn.Module):
    """One layer; `norm` is a list because placements differ in how many they have."""

    def __init__(self, job, layer):
        super().__init__()
        m = job.model
        self.parallel, self.placement = m.get("parallel_attention", False), m["norm"]["placement"]
        self.norm = nn.ModuleList(norm_of(job) for _ in range(m["norm"]["per_layer"]))
        self.attention = (LatentAttention if m.get("mla") else Attention)(job, layer)
        self.mlp = Experts(job) if job.moe_layer(layer) else Mlp(job, m["ffn"], m["gated_mlp"], m["bias"]["mlp"])
        self.dropout = job.dropout
        self.drops_norm = job.drops("norm")
        self.drops_mlp = job.drops("moe") if job.moe_layer(layer) else job.drops("mlp")
        self.recomputed = job.recomputed(layer)
        self.per_op = job.drops("per_op")

    def normed(self, i, x):
        return maybe_checkpoint(self.drops_norm, self.norm[i], x)

    def after(self, x):
        return F.dropout(x, self.dropout, self.training) if self.dropout else x

    def fed(self, x):
        return self.after(maybe_checkpoint(self.drops_mlp, self.mlp, x))

    def forward(self, x, cos, sin):
        if self.recomputed:
            return checkpoint(self.computed, x, cos, sin, use_reentrant=False)
        if self.per_op:
            return checkpoint(self.computed, x, cos, sin, use_reentrant=False, context_fn=per_op_contexts)
        return self.computed(x, cos, sin)

    def computed(self, x, cos, sin):
        if self.parallel:
            first = self.normed(0, x)
            second = self.normed(1, x) if len(self.norm) > 1 else first
            return x + self.after(self.attention(first, cos, sin)) + self.fed(second)
        if self.placement == "post":
            x = x + self.normed(0, self.after(self.attention(x, cos, sin)))
            return x + self.normed(1, self.fed(x))
        if self.placement == "sandwich":
            x = x + self.normed(1, self.after(self.attention(self.normed(0, x), cos, sin)))
            return x + self.normed(3, self.fed(self.normed(2, x)))
        x = x + self.after(self.attention(self.normed(0, x), cos, sin))
        return x + self.fed(self.normed(1, x))


class Model(nn.Module):
    """Blocks first … last - 1, with the embedding before block 0 and the head after the last one.
    `wrap(module)` distributes a finished part, so that no rank ever holds more than it must."""

    def __init__(self, job, first, last, device, wrap):
        super().__init__()
        m, self.job = job.model, job
        hidden, self.width = m["hidden"], m.get("embedding_dim") or m["hidden"]
        self.starts, self.ends = first == 0, last == m["layers"]
        self.built = 0  # parameters made here, before anything shards them
        self.trained = 0
        with torch.device(device):
            blocks = []
            for layer in range(first, last):
                block = Block(job, layer)
                self.finish(block)
                blocks.append(wrap(block))
            self.blocks = nn.ModuleList(blocks)
            ends = nn.Module()
            if self.starts:
                ends.embedding = nn.Embedding(job.rows, self.width)
                rows = m["position"].get("table_rows", 0)
                ends.position = nn.Embedding(rows, hidden) if rows else None
                ends.project_in = Linear(job, self.width, hidden, False, False) if self.width != hidden else None
                ends.norm = norm_of(job) if m["norm"]["embedding"] else None
            if self.ends:
                ends.final_norm = norm_of(job) if m["norm"]["final"] else None
                ends.project_out = Linear(job, hidden, self.width, False, False) if self.width != hidden else None
                ends.head = Linear(job, self.width, job.rows, m["bias"]["lm_head"], False)
                if m["tied_embeddings"]:
                    ends.head.weight = ends.embedding.weight
                ends.head_adapter = adapter_of(job, "lm_head", self.width, job.rows)
            self.finish(ends)
            self.io = ends
        self.tie = m["tied_embeddings"] and self.starts and self.ends
        self.cos, self.sin = rotary_tables(m, job.sequence, device)
        self.positions = torch.arange(job.sequence, device=device)

    def finish(self, module):
        """Random weights, frozen ones where adapters are trained, and the count."""
        for name, parameter in module.named_parameters():
            if parameter.dim() > 1 and not name.endswith("adapter.up"):
                nn.init.normal_(parameter, std=0.02)
            if self.job.lora:
                parameter.requires_grad_("adapter" in name)
            self.built += 0 if "adapter" in name else parameter.numel()
            self.trained += parameter.numel() if parameter.requires_grad else 0

    def embedded(self, tokens):
        x = self.io.embedding(tokens)
        if self.io.project_in is not None:
            x = self.io.project_in(x)
        if self.io.position is not None:
            x = x + self.io.position(self.positions)
        if self.io.norm is not None:
            x = self.io.norm(x)
        return F.dropout(x, self.job.dropout, self.training) if self.job.dropout else x

    def logits(self, x):
        return adapted(self.io.head(x), x, self.io.head_adapter)

    def forward(self, tokens, labels=None):
        """Hidden states of a stage that is not the last; else logits, or with `labels` (loss, logits)."""
        x = self.embedded(tokens) if self.starts else tokens
        for block in self.blocks:
            x = block(x, self.cos, self.sin)
        if not self.ends:
            return x
        if self.io.final_norm is not None:
            x = self.io.final_norm(x)
        if self.io.project_out is not None:
            x = self.io.project_out(x)
        if labels is None:
            return self.logits(x)
        loss = self.job.stack["head"]["loss"]
        if loss == "fused_linear":
            return FusedLinearLoss.apply(x.flatten(0, 1), self.io.head.weight, labels.flatten(), self.job.compute), None
        if loss == "chunked":
            return chunked_loss(self, x, labels), None
        logits = self.logits(x)
        # The caller of logits_format keeps its logits, as models do that return them beside the loss.
        return loss_of(self.job, logits, labels), logits if loss == "logits_format" else None


# --- loss -----------------------------------------------------------------------------------------------


def loss_of(job, logits, labels):
    if job.stack["head"]["loss"] == "fp32_logits":
        logits = logits.float()
    return F.cross_entropy(logits.flatten(0, 1), labels.flatten())


def chunked_loss(model, x, labels):
    """Logits chunk by chunk in their own format, each taken to fp32 only inside its loss."""
    count = model.job.how["loss_chunks"]
    logits = [model.logits(part) for part in x.chunk(count, dim=1)]
    total = sum(F.cross_entropy(part.float().flatten(0, 1), target.flatten(), reduction="sum")
                for part, target in zip(logits, labels.chunk(count, dim=1)))
    return total / labels.numel()


class FusedLinearLoss(torch.autograd.Function):
    """Head and loss a chunk of tokens at a time; gradients are made on the way, logits never all there."""

    @staticmethod
    def forward(ctx, x, weight, labels, compute):
        tokens, width = x.shape
        parts = -(-weight.shape[0] // width)
        rows = 1 << max(0, (-(-tokens // parts) - 1).bit_length())
        w = weight.to(compute)
        dx, dw = torch.empty_like(x), torch.zeros_like(weight) if weight.requires_grad else None
        loss = torch.zeros((), dtype=torch.float32, device=x.device)
        for begin in range(0, tokens, rows):
            part, label = x[begin:begin + rows].to(compute), labels[begin:begin + rows, None]
            logits = (part @ w.t()).float()
            top = logits.logsumexp(dim=-1, keepdim=True)
            loss += (top - logits.gather(1, label)).sum()
            slope = logits.sub_(top).exp_()
            slope.scatter_add_(1, label, torch.full_like(label, -1.0, dtype=slope.dtype))
            slope = (slope / tokens).to(compute)
            dx[begin:begin + rows] = slope @ w
            if dw is not None:
                dw += slope.t() @ part
        ctx.save_for_backward(dx, dw)
        return loss / tokens

    @staticmethod
    def backward(ctx, dloss):
        dx, dw = ctx.saved_tensors
        return dx * dloss.to(dx.dtype), None if dw is None else dw * dloss.to(dw.dtype), None, None
