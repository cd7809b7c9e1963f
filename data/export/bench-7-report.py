# --- what is printed and recorded -----------------------------------------------------------------------


class Figures:
    """What follows from the measured times: rates, shares of the peak, bytes."""

    def __init__(self, job, result):
        self.step = statistics.median(result["times"])
        self.tokens_per_s = job.tokens / self.step
        flops = job.bench["flops"]
        self.peak = job.bench["peak_flops"]

        def rate(work):
            return work / self.step / job.world

        self.rates = {"6N": rate(flops["6ND"]), "PaLM": rate(flops["palm"]), "Megatron": rate(flops["megatron"]),
                      "llm-bench": rate(llm_bench_flops(job, result["parameters"])),
                      "model": rate(flops["exact"]), "hardware": rate(flops["exact"] + recomputed_flops(job))}

    def share(self, name):
        return self.rates[name] / self.peak


def llm_bench_flops(job, parameters):
    """6 N + 12 L a (h // a) s a token, N with every table, as llm-train-bench counts."""
    m = job.model
    return (6 * parameters + 12 * m["layers"] * m["heads"] * (m["hidden"] // m["heads"]) * job.sequence) * job.tokens


def recomputed_flops(job):
    return job.bench["flops"]["recomputed"][job.run["recompute"]]


def gpu_name(layout):
    return torch.cuda.get_device_name(layout.device) if layout.device.type == "cuda" else "cpu"


def gb(values):
    return ", ".join(f"{value / 1e9:.2f}" for value in values) + " GB"


def summary(job, layout, result):
    """The answer of a run, a line each."""
    f, times = Figures(job, result), result["times"]
    predicted = job.bench["predicted"]
    lines = [("job", f"{job.model['id']}, {job.world} x {gpu_name(layout)}, sequence {job.sequence}, micro-batch "
                     f"{job.micro_batch}, global batch {job.run['global_batch']}, {job.precision['name']}"),
             ("torch", f"{torch.__version__}, {'compiled (' + job.how['compile_mode'] + ')' if job.compile else 'eager'}"),
             ("step", f"{f.step:.6f} s, median of {len(times)} (min {min(times):.6f}, max {max(times):.6f}); "
                      f"{job.how['warmup']} steps of warm-up took {result['warm_s']:.1f} s"),
             ("phases", ", ".join(f"{name} {seconds:.6f} s" for name, seconds in result["phases"].items())),
             ("tokens", f"{f.tokens_per_s:,.0f} tokens/s, {f.tokens_per_s / job.world:,.0f} a GPU")]
    lines += [(f"TFLOP/s {name}", f"{rate / 1e12:.2f} a GPU, {100 * f.share(name):.2f}% of {f.peak / 1e12:.1f}")
              for name, rate in f.rates.items()]
    if "allocated" in result:
        lines += [("allocated", gb(result["allocated"])), ("reserved", gb(result["reserved"])),
                  ("device", gb(result["device"]))]
    lines.append(("host", gb(result["host"])))
    if predicted and not job.how.get("varied"):
        lines.append(("predicted", f"{predicted['step_time_s']:.6f} s a step "
                                   f"({100 * (predicted['step_time_s'] / f.step - 1):+.1f}% of the measured), "
                                   f"{predicted['allocated_bytes'] / 1e9:.2f} GB allocated, "
                                   f"{predicted['device_bytes'] / 1e9:.2f} GB on the device"))
    width = max(len(name) for name, _ in lines) + 2
    return "\n".join(f"{name:<{width}}{text}" for name, text in lines)


def lightning_report(job, result):
    """The layout of Lightning-LLM-Training-Test. Its TFLOP/s are those of the forward pass."""
    f = Figures(job, result)
    forward = result["phases"].get("forward")
    tflops = job.bench["flops"]["exact"] / 3 / job.world / forward / 1e12 if forward else 0.0
    rule, end = "=" * 38, "-" * 38
    strategy = {0: "single" if job.world == 1 else "ddp", 1: "zero_1", 2: "zero_2", 3: "fsdp"}[job.parallel["zero"]]
    device = ", ".join(f"{value / 1e9:.1f}GB" for value in result.get("device", []))
    rate = f.tokens_per_s / job.world
    rows = [("Model", [("Model name", job.model["id"]), ("Model size", f"{result['trained'] // 10**6}M"),
                       ("Strategy", strategy), ("Batch size", job.micro_batch), ("Seq length", job.sequence)]),
            ("Hardware", [("Number gpus", job.world)]),
            ("Memory", [("Peak CPU RAM", f"{result['machine'] / 1e9:.1f}GB"), ("Peak GPU RAM", device)]),
            ("Token", [("Tokens/sec/GPU", round(rate, 3)), ("Tokens/sec/total", round(round(rate, 3) * job.world, 3))]),
            ("TFLOP", [("TFLOP/sec/GPU", round(tflops, 3)), ("TFLOP/sec/total", round(round(tflops, 3) * job.world, 3))])]
    text = ""
    for index, (title, entries) in enumerate(rows):
        text += f":{title}\n{rule}\n"
        text += "".join(f"{name + ':':<20}{value}\n" for name, value in entries)
        text += (end + "\n" if index else "") + ("\n" if index + 1 < len(rows) else "")
    return text


def run_note(job):
    """What a record says of recomputation, in the words its reader knows."""
    run = job.run
    if run["recompute"] == "full":
        if run.get("recompute_layers"):
            return f"full on {run['recompute_layers']} layers"
        return f"every {run['recompute_every']} blocks" if run.get("recompute_every", 1) > 1 else "every block"
    if run["recompute"] == "selective":
        words = {"core_attention": "core_attn", "norm": "layernorm", "activation": "activation", "mlp": "modules: mlp",
                 "moe": "moe,", "mla_up": "mla_up_proj", "per_op": "per_op"}
        return " ".join(word for module, word in words.items() if job.drops(module))
    return None


# What a record may say of its stack's choices, and where these stand.
CHOICE_GROUPS = {"loss": "head", "vocab_multiple": "head", "optimizer": "states", "gradient_passes": "states",
                 "cuda_graphs": "host"}


def run_record(job, layout, result, name, error=None):
    """One line of a record file: what was asked, what was measured."""
    run, how = job.run, job.how
    cuda = torch.version.cuda or "no CUDA"
    kernel = run.get("attention", job.stack["attention"]["kernel"])
    generation = kernel_generation(job)
    kernel = generation if kernel == "flash" and generation in ("flash2", "flash3", "flash4") else kernel
    extra = {"torch": torch.__version__, "device": gpu_name(layout), "gradient_clip": how["gradient_clip"],
             "compile_mode": how["compile_mode"] if job.compile else None,
             "choices": {key: job.stack[CHOICE_GROUPS[key]][key] for key in job.bench["choices"]}}
    if job.precision["gemm"] != job.precision["compute"]:
        extra |= {"gemm": job.precision["gemm"], "fp8_scaling": how["fp8_scaling"]}
    if job.lora:
        a = run["adapter"]
        names = {"query": "q", "key": "k", "value": "v", "attention_out": "o", "mlp": "mlp", "lm_head": "head"}
        extra |= {"lora_rank": a["rank"], "lora_targets": ",".join(names[n] for n in names if a.get(n)),
                  "lora_dropout": a.get("dropout", 0.0), "trainable_params": job.bench["parameters"]["trained"]}
    measured = {"out_of_memory": True} if error == "out of memory" else {}
    if result:
        f = Figures(job, result)
        extra |= {"step_times_s": result["times"], "warm_s": result["warm_s"],
                  "loss": result["loss"],
                  "host_bytes": result["host"], "parameters": result["parameters"]}
        if job.bench["predicted"] and not how.get("varied"):
            extra["predicted_before_s"] = job.bench["predicted"]["step_time_s"]
        measured = {"step_time_s": f.step, "tokens_per_s_per_accelerator": f.tokens_per_s / job.world,
                    "tflops_per_accelerator": f.rates["model"] / 1e12, "mfu": f.share("model"), "hfu": f.share("hardware"),
                    "flops_definition": "matrix products, causal attention"}
        measured |= {f"{name}_s": seconds for name, seconds in result["phases"].items()}
        if "allocated" in result:
            measured |= {"memory_bytes": max(result["allocated"]), "memory_kind": "allocated",
                         "memory_reserved_bytes": max(result["reserved"]), "memory_device_bytes": max(result["device"])}
            if job.world > 1:
                measured |= {"per_rank_allocated_bytes": result["allocated"], "per_rank_reserved_bytes": result["reserved"]}
    today = datetime.date.today()
    p = job.parallel
    record = job.bench["record"]
    assumed = [] if record["model_is_whole"] else ["model: norms and biases as the family has them"]
    unknown = [] if same_device(job, gpu_name(layout)) else [f"cluster.accelerator: the device is {gpu_name(layout)}"]
    return {"schema": "run-record/1", "id": name, "task": "lora" if job.lora else "pretrain", "quality": "A",
            "source": {"title": f"traincost export bench, {today.isoformat()}", "url": None, "year": today.year,
                       "kind": "own measurement"},
            "model": record["model"], "cluster": record["cluster"],
            "run": {"stack": job.stack["id"], "stack_version": f"torch {torch.__version__}, CUDA {cuda}",
                    "compile": job.compile, "precision": job.precision["name"], "grad_dtype": job.precision["gradients"],
                    "optimizer": run.get("optimizer", "adamw"), "sequence": job.sequence, "micro_batch": job.micro_batch,
                    "global_batch": run["global_batch"], "accumulation": job.accumulation,
                    "parallel": {"tp": p["tp"], "pp": p["pp"], "vp": p["vp"], "dp": p["dp"], "cp": p["cp"], "ep": 1,
                                 "zero": p["zero"], "hybrid_shard": p.get("hybrid_shard"),
                                 "sequence_parallel": job.sequence_parallel if p["tp"] > 1 else None},
                    "recompute": run["recompute"], "recompute_note": run_note(job), "attention_kernel": kernel,
                    "offload": "none", "schedule": run.get("schedule")},
            "measured": measured, "assumed": assumed, "unknown": unknown,
            "notes": f"random tokens and weights, median of {how['steps']} steps after {how['warmup']}"
                     + (f"; {error}" if error else ""), "extra": extra}
