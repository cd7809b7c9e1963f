# --- measurement ----------------------------------------------------------------------------------------


class Training:
    """The model, its optimizer and one step of it."""

    def __init__(self, job, layout):
        self.job, self.layout, self.device = job, layout, layout.device
        self.cuda = self.device.type == "cuda"
        torch.set_float32_matmul_precision("high" if job.precision["gemm"] == "tf32" else "highest")
        torch.set_default_dtype(job.weights)
        models = [Model(job, begin, end, self.device, layout.wrap) for _, begin, end in layout.chunks()]
        torch.set_default_dtype(torch.float32)
        self.built = self.summed(sum(model.built for model in models))
        self.trained = self.summed(sum(model.trained for model in models))
        self.models = [layout.finished(model) for model in models]
        self.parameters = [p for model in self.models for p in model.parameters() if p.requires_grad]
        self.optimizer = optimizer_of(job, layout, self.parameters)
        scaled = job.autocast and job.compute == torch.float16
        self.scaler = torch.amp.GradScaler("cuda") if scaled else None
        head = job.stack["head"]
        inside = head["compiled_loss"] if job.compile else head["loss_inside"]
        self.loss_inside = (inside or head["loss"] in ("chunked", "fused_linear")) and job.parallel["tp"] == 1
        self.loss_outside = functools.partial(loss_of, job)
        self.schedule = self.pipeline() if job.parallel["pp"] > 1 else None
        self.marks = []  # events of the step: (phase, begin, end)

    def summed(self, count):
        """Over pipeline stages, for the count of the whole model."""
        if self.layout.mesh is None or self.job.parallel["pp"] == 1:
            return count
        total = torch.tensor(count, device=self.device)
        dist.all_reduce(total, group=self.layout.mesh["pp"].get_group())
        return int(total)

    def pipeline(self):
        from torch.distributed import pipelining
        job, p = self.job, self.job.parallel
        count = p["pp"] * p["vp"]
        group = self.layout.mesh["pp"].get_group()
        stages = [pipelining.PipelineStage(model, index, count, self.device, group=group)
                  for model, (index, _, _) in zip(self.models, self.layout.chunks())]
        kinds = {"gpipe": "ScheduleGPipe", "1f1b": "Schedule1F1B", "interleaved": "ScheduleInterleaved1F1B"}
        kind = job.run.get("schedule") or ("interleaved" if p["vp"] > 1 else job.stack["pipeline"]["schedule"])
        made = getattr(pipelining, kinds[kind])
        return made(stages if kind == "interleaved" else stages[0], job.accumulation, loss_fn=self.loss_outside)

    @contextlib.contextmanager
    def phase(self, name):
        if not self.cuda:
            yield
            return
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        yield
        end.record()
        self.marks.append((name, begin, end))

    def batch(self, sequences):
        """Random tokens and their labels."""
        tokens = torch.randint(self.job.model["vocab"], (sequences, self.job.sequence + 1), device=self.device)
        return tokens[:, :-1].contiguous(), tokens[:, 1:].contiguous()

    def autocast(self):
        job = self.job
        on = job.autocast and not job.sharded and self.schedule is None  # FSDP2 casts what it gathers
        return torch.autocast(self.device.type, job.compute) if on else contextlib.nullcontext()

    def shared_context(self, tokens, labels):
        """Context parallelism: what has a sequence dimension is divided over the group."""
        if self.layout.cp_mesh is None:
            return contextlib.nullcontext()
        from torch.distributed.tensor.experimental import context_parallel
        model = getattr(self.models[0], "module", self.models[0])
        return context_parallel(self.layout.cp_mesh, buffers=[tokens, labels, model.cos, model.sin, model.positions],
                                buffer_seq_dims=[1, 1, 0, 0, 0], no_restore_buffers={tokens, labels})

    def loss_parallel(self):
        if self.job.parallel["tp"] == 1:
            return contextlib.nullcontext()
        from torch.distributed.tensor.parallel import loss_parallel
        return loss_parallel()

    def forward(self, tokens, labels):
        """The loss, and what the caller keeps until the backward pass is over."""
        with self.autocast(), self.phase("forward"):
            if self.loss_inside:
                return self.models[0](tokens, labels)
            logits = self.models[0](tokens)
            return self.loss_outside(logits, labels), logits if self.job.stack["head"]["loss"] == "logits_format" else None

    def synchronised(self, last):
        """Whether gradients of this micro-batch are reduced over the replicas."""
        model = self.models[0]
        if self.job.sharded and self.layout.mesh is not None:
            model.set_requires_gradient_sync(last or self.job.stack["traffic"]["reduce_every_micro_batch"])
        elif not last and hasattr(model, "no_sync"):
            return model.no_sync()
        return contextlib.nullcontext()

    def micro_batch(self, last):
        tokens, labels = self.batch(self.job.micro_batch)
        if self.job.compile and self.cuda:
            torch.compiler.cudagraph_mark_step_begin()
        with self.synchronised(last), self.shared_context(tokens, labels), self.loss_parallel():
            loss, kept = self.forward(tokens, labels)
            with self.phase("backward"):
                share = loss / self.job.accumulation
                (self.scaler.scale(share) if self.scaler else share).backward()
            del kept
        return loss.detach()

    def accumulated(self):
        """All forward and backward passes of a step; the loss of the last micro-batch."""
        if self.schedule is None:
            for i in range(self.job.accumulation):
                loss = self.micro_batch(i == self.job.accumulation - 1)
            return loss
        tokens, labels = self.batch(self.job.micro_batch * self.job.accumulation)
        losses = []
        stage, stages = self.layout.stage, self.job.parallel["pp"]
        inputs = (tokens,) if stage == 0 else ()
        if stage == stages - 1:
            self.schedule.step(*inputs, target=labels, losses=losses)
        else:
            self.schedule.step(*inputs)
        return losses[-1].detach() if losses else torch.zeros(())

    def frees_gradients(self):
        """Gradients that are views of DDP's buckets stay: of freed ones those made under no_sync are a second copy."""
        return not (hasattr(self.models[0], "no_sync") and not self.job.sharded and self.job.stack["traffic"]["gradient_bucket_view"])

    def step(self):
        loss = self.accumulated()
        with self.phase("optimizer"):
            clip = self.job.how["gradient_clip"]
            if clip:
                if self.scaler:
                    self.scaler.unscale_(self.optimizer)
                torch.nn.utils.clip_grad_norm_(self.parameters, clip)
            if self.scaler:
                self.scaler.step(self.optimizer)
                self.scaler.update()
            else:
                self.optimizer.step()
            self.optimizer.zero_grad(set_to_none=self.frees_gradients())
        return loss


class Autocast(nn.Module):
    """A pipeline stage under the job's autocast, which its schedule does not enter itself."""

    def __init__(self, job, model):
        super().__init__()
        self.job, self.model = job, model

    def forward(self, x):
        with torch.autocast("cuda", self.job.compute):
            return self.model(x)


def device_memory(device):
    """Bytes in use on the device as nvidia-smi counts them, every process included."""
    try:
        uuid = "GPU-" + str(torch.cuda.get_device_properties(device).uuid)
        out = subprocess.run(["nvidia-smi", "-i", uuid, "--query-gpu=memory.used", "--format=csv,noheader,nounits"],
                             capture_output=True, text=True, timeout=20, check=True).stdout
        return int(float(out.strip()) * 2**20)
    except (OSError, ValueError, AttributeError, subprocess.SubprocessError):
        free, total = torch.cuda.mem_get_info(device)
        return total - free


def host_used():
    """Bytes in use on the whole machine, as free(1) counts them."""
    with open("/proc/meminfo", encoding="ascii") as file:
        kib = {line.split(":")[0]: int(line.split()[1]) for line in file}
    return (kib["MemTotal"] - kib["MemFree"] - kib["Buffers"] - kib["Cached"] - kib.get("SReclaimable", 0)) * 1024


def gathered(layout, value, reduce=None):
    """`value` of every rank, in order; `reduce` joins them."""
    values = [value]
    if layout.mesh is not None:
        values = [None] * dist.get_world_size()
        dist.all_gather_object(values, value)
    return reduce(values) if reduce else values


def early_stop(job):
    """Whether a recomputed block ends with the last tensor its backward pass needs, as the stack says."""
    from torch.utils.checkpoint import set_checkpoint_early_stop
    return contextlib.nullcontext() if job.compile else set_checkpoint_early_stop(job.stack["layer"]["recompute_stops_early"])


def measure(job, layout, progress):
    """One run: times of each step, of its phases, and memory."""
    began = time.perf_counter()
    training = Training(job, layout)
    expected = job.bench["parameters"]
    if layout.rank == 0:
        match = training.built == expected["built"] and training.trained == expected["trained"]
        print(f"parameters: {training.built:,} built, {expected['built']:,} expected; "
              f"{training.trained:,} trained, {expected['trained']:,} expected", flush=True)
        if not match:
            fail("the model built here is not the model of the job")
    cuda, times, phases = training.cuda, [], []
    result = {"parameters": training.built, "trained": training.trained}
    with attention_kernel(job), early_stop(job):
        for _ in range(job.how["warmup"]):
            loss = training.step()
        if cuda:
            torch.cuda.synchronize()
            torch.cuda.reset_peak_memory_stats()
        result["warm_s"] = time.perf_counter() - began
        for index in range(job.how["steps"]):
            if layout.mesh is not None:
                dist.barrier()
            training.marks.clear()
            begin = time.perf_counter()
            loss = training.step()
            if cuda:
                torch.cuda.synchronize()
            times.append(time.perf_counter() - begin)
            sums = {}
            for name, start, end in training.marks:
                sums[name] = sums.get(name, 0.0) + start.elapsed_time(end) / 1e3
            phases.append(sums)
            progress(index, times[-1])
    result["loss"] = float(loss)
    if not math.isfinite(result["loss"]):
        fail("the loss is not finite: such a run is no measurement, products of its values take less time")
    result["times"] = gathered(layout, times, lambda ranks: [max(step) for step in zip(*ranks)])
    result["phases"] = {name: statistics.median(p[name] for p in phases) for name in phases[0]}
    if cuda:
        result["allocated"] = gathered(layout, torch.cuda.max_memory_allocated())
        result["reserved"] = gathered(layout, torch.cuda.max_memory_reserved())
        result["device"] = gathered(layout, device_memory(layout.device))
    result["host"] = gathered(layout, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
    result["machine"] = host_used()
    return result
