# --- layout ---------------------------------------------------------------------------------------------


def replica_of(rank, p):
    """The replica whose sequences a rank works on: tensor, context and pipeline ranks share theirs. Unlike
    tokens in one of their groups end in values that are not finite, which products take less time for."""
    return rank // p["tp"] % (p["dp"] * p["cp"]) // p["cp"]


def replicated():
    """Tensor parallelism of a norm without sequence parallelism: the same on every rank, its weight a DTensor
    as the others are, which optimizers and clipping ask for."""
    from torch.distributed.tensor import DTensor, Replicate, distribute_module
    from torch.distributed.tensor.parallel import ParallelStyle

    class Replicated(ParallelStyle):
        def _apply(self, module, mesh):
            return distribute_module(
                module, mesh, None,
                lambda _, inputs, mesh: tuple(DTensor.from_local(x, mesh, [Replicate()], run_check=False) for x in inputs),
                lambda _, output, mesh: output.to_local())

    return Replicated()


class Layout:
    """Ranks, their groups, and how a part of the model is spread over them."""

    def __init__(self, job, device_type):
        self.job, p = job, job.parallel
        self.rank, self.local = int(os.environ.get("RANK", 0)), int(os.environ.get("LOCAL_RANK", 0))
        world = int(os.environ.get("WORLD_SIZE", 1))
        if world != job.world:
            fail(f"the job has {job.world} ranks, {world} are running; start it with "
                 f"torchrun --nproc-per-node {min(job.world, job.cluster['per_node'])}"
                 + (f" --nnodes {job.world // job.cluster['per_node']}" if job.world > job.cluster["per_node"] else ""))
        self.device = torch.device(device_type, self.local) if device_type == "cuda" else torch.device("cpu")
        if device_type == "cuda":
            torch.cuda.set_device(self.device)
        self.mesh = self.cp_mesh = None
        torch.manual_seed(replica_of(self.rank, p))
        if world == 1:
            return
        dist.init_process_group("nccl" if device_type == "cuda" else "gloo")
        from torch.distributed.device_mesh import init_device_mesh
        data = p["dp"] * p["cp"]
        group = p.get("hybrid_shard") or data if job.sharded else data
        sizes = {"pp": p["pp"], "replicate": data // group, "shard": group, "tp": p["tp"]}
        self.mesh = init_device_mesh(device_type, tuple(sizes.values()), mesh_dim_names=tuple(sizes))
        if p["cp"] > 1:
            names = ("pp", "data", "cp", "tp")
            self.cp_mesh = init_device_mesh(device_type, (p["pp"], p["dp"], p["cp"], p["tp"]), mesh_dim_names=names)["cp"]

    @property
    def stage(self):
        return self.mesh.get_local_rank("pp") if self.mesh is not None else 0

    def chunks(self):
        """First and last block of each chunk this rank runs; remainders go to the earliest chunks."""
        p, layers = self.job.parallel, self.job.model["layers"]
        count = p["pp"] * p["vp"]
        first = [c * (layers // count) + min(c, layers % count) for c in range(count + 1)]
        return [(c, first[c], first[c + 1]) for c in range(self.stage, count, p["pp"])]

    def wrap(self, part):
        """Tensor parallelism, compilation and sharding of one finished block, or of the ends."""
        block = isinstance(part, Block)
        if self.job.parallel["tp"] > 1:
            self.split(part, block)
        if block and self.job.compile and not self.whole():
            part.compile(mode=self.job.how["compile_mode"])
        if block and self.job.sharded and self.mesh is not None:
            self.shard(part)
        return part

    def whole(self):
        """Whether the model is compiled as one graph: sharded and divided models are, block by block."""
        return not self.job.sharded and self.job.parallel["tp"] == 1 and self.job.parallel["pp"] == 1

    def shard(self, module):
        from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
        job = self.job
        keeps = job.parallel["zero"] == 2 or (job.parallel["pp"] > 1 and job.stack["states"]["pipeline_keeps_gathered"])
        policy = MixedPrecisionPolicy(param_dtype=job.compute if job.autocast else None,
                                      reduce_dtype=TYPES[job.precision["reduce"]])
        hybrid = self.mesh["replicate"].size() > 1
        fully_shard(module, mesh=self.mesh["replicate", "shard"] if hybrid else self.mesh["shard"],
                    reshard_after_forward=not keeps, mp_policy=policy)

    def split(self, part, block):
        from torch.distributed.tensor import Replicate, Shard
        from torch.distributed.tensor.parallel import (ColwiseParallel, PrepareModuleInput, RowwiseParallel,
                                                       SequenceParallel, parallelize_module)
        spread = Shard(1) if self.job.sequence_parallel else Replicate()
        row = RowwiseParallel(output_layouts=spread)
        norm = SequenceParallel() if self.job.sequence_parallel else replicated()
        plan = {}
        if block:
            plan = {"attention": PrepareModuleInput(input_layouts=(spread, None, None),
                                                    desired_input_layouts=(Replicate(), None, None)),
                    "mlp": PrepareModuleInput(input_layouts=(spread,), desired_input_layouts=(Replicate(),)),
                    "attention.out": row, "mlp.down": row}
            plan |= {f"attention.{name}": ColwiseParallel() for name in ("q", "k", "v")}
            plan |= {f"mlp.{name}": ColwiseParallel() for name in (("gate", "up") if part.mlp.gated else ("up",))}
            plan |= {f"norm.{i}": norm for i in range(len(part.norm))}
        else:
            if hasattr(part, "embedding"):
                plan["embedding"] = RowwiseParallel(input_layouts=Replicate(), output_layouts=spread)
            if hasattr(part, "head"):
                plan["head"] = ColwiseParallel(input_layouts=spread, output_layouts=Shard(-1), use_local_output=False)
                if part.final_norm is not None:
                    plan["final_norm"] = norm
        parallelize_module(part, self.mesh["tp"], plan)

    def finished(self, model):
        """The whole of one rank's model: ends distributed, compiled, replicated."""
        job = self.job
        self.wrap(model.io)
        if model.tie and job.parallel["tp"] > 1:
            model.io.head.weight = model.io.embedding.weight
        if job.sharded and self.mesh is not None:
            self.shard(model)
        if job.compile and self.whole():
            model.compile(mode=job.how["compile_mode"])
        if job.parallel["pp"] > 1 and job.autocast and not job.sharded:
            model = Autocast(job, model)  # inside: a stage must see the wrapper that holds gradients back
        if self.mesh is not None and not job.sharded and self.mesh["shard"].size() > 1:
            from torch.nn.parallel import DistributedDataParallel
            return DistributedDataParallel(
                model, device_ids=[self.local] if self.device.type == "cuda" else None,
                process_group=self.mesh["shard"].get_group(),
                bucket_cap_mb=max(1, int(job.stack["traffic"]["gradient_bucket_bytes"] / 2**20)),
                gradient_as_bucket_view=job.stack["traffic"]["gradient_bucket_view"])
        return model


class MasterOptimizer:
    """fp32 weights and states beside 16-bit weights, a group of tensors at a time so that widened gradients
    stay small."""

    GROUP = 1 << 27  # elements

    def __init__(self, parameters, make):
        self.groups, group, size = [], [], 0
        for parameter in parameters:
            group.append(parameter)
            size += parameter.numel()
            if size >= self.GROUP:
                self.groups.append(group)
                group, size = [], 0
        if group:
            self.groups.append(group)
        self.masters = [[p.detach().float() for p in group] for group in self.groups]
        self.inner = [make(masters) for masters in self.masters]

    def step(self):
        for group, masters, inner in zip(self.groups, self.masters, self.inner):
            for parameter, master in zip(group, masters):
                master.grad = parameter.grad.float()
            inner.step()
            for parameter, master in zip(group, masters):
                parameter.data.copy_(master)
                master.grad = None

    def zero_grad(self, set_to_none=True):
        for parameter in itertools.chain(*self.groups):
            if set_to_none or parameter.grad is None:
                parameter.grad = None
            else:
                parameter.grad.zero_()


def optimizer_of(job, layout, parameters):
    kernel = job.stack["states"]["optimizer"]
    flags = {"fused": True} if kernel == "fused" else {"foreach": kernel == "foreach"}
    kind = job.run.get("optimizer", "adamw")
    made = {"adamw": (torch.optim.AdamW, {"lr": 1e-5, "weight_decay": 0.1}),
            "sgd": (torch.optim.SGD, {"lr": 1e-5}),
            "sgd_momentum": (torch.optim.SGD, {"lr": 1e-5, "momentum": 0.9})}
    optimizer, settings = made[kind]
    if job.parallel["zero"] == 1 and layout.mesh is not None:
        from torch.distributed.optim import ZeroRedundancyOptimizer
        return ZeroRedundancyOptimizer(parameters, optimizer_class=optimizer,
                                       process_group=layout.mesh["shard"].get_group(), **settings, **flags)
    if job.precision.get("master"):
        return MasterOptimizer(parameters, lambda masters: optimizer(masters, **settings, **flags))
    return optimizer(parameters, **settings, **flags)
