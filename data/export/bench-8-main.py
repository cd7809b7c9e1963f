# --- many runs ------------------------------------------------------------------------------------------

AMP = {"name": "bf16-amp", "weights": "fp32", "gradients": "fp32", "master": None, "moments": "fp32",
       "compute": "bf16", "gemm": "bf16", "reduce": "fp32", "autocast": True}
PURE = AMP | {"name": "bf16-pure", "weights": "bf16", "gradients": "bf16", "moments": "bf16", "reduce": "bf16",
              "autocast": False}
SINGLE = AMP | {"name": "fp32", "compute": "fp32", "gemm": "fp32", "autocast": False}

# What each word of --features changes of the job; "a+b" is both, in this order.
FEATURES = {
    "asked": {},
    "mp": {"run": {"precision": AMP}},
    "pure": {"run": {"precision": PURE}},
    "fp32": {"run": {"precision": SINGLE}},
    "tf32": {"run": {"precision": SINGLE | {"name": "tf32", "gemm": "tf32"}}},
    "fp8": {"run": {"precision": {"gemm": "fp8"}}},
    "pc": {"run": {"compile": True}},
    "sac": {"run": {"recompute": "full"}},
    "foreach": {"stack": {"states": {"optimizer": "foreach"}}},
}
MODES = {"single": 0, "ddp": 0, "zero1": 1, "zero2": 2, "fsdp": 3}
USUAL_FEATURES = "asked,mp,mp+pc,mp+fp8,mp+pc+fp8,mp+sac,mp+pc+sac,mp+pc+fp8+sac"


def variant(mode, features):
    """The change that makes the job of one row of the matrix."""
    job = Job(BENCH)
    if any(job.parallel[degree] > 1 for degree in ("tp", "pp", "cp")):
        fail("--matrix: the job divides its model (tp, pp or cp), which modes would undo; export one without")
    ranks = 1 if mode == "single" else torch.cuda.device_count()
    change = {"run": {"global_batch": job.micro_batch * job.accumulation * ranks,
                      "parallel": {"dp": ranks, "zero": MODES[mode], "hybrid_shard": None}}}
    for name in features.split("+"):
        change = merged_changes(change, FEATURES[name])
    if "stack" in change:
        changed = {key for group in change["stack"].values() for key in group}
        change["choices"] = sorted(set(BENCH["choices"]) | changed)
    return change, ranks


def merged_changes(first, second):
    """Both changes as one: unlike `merged`, what removes a member stays."""
    result = dict(first)
    for key, value in second.items():
        both = isinstance(value, dict) and isinstance(result.get(key), dict)
        result[key] = merged_changes(result[key], value) if both else value
    return result


def chosen(text, known, flag):
    """The words of a list, each known."""
    words = [word for word in text.split(",") if word]
    for word in words:
        for part in word.split("+"):
            if part not in known:
                fail(f"{flag}: '{part}' is not known; allowed: {', '.join(known)}")
    return words


def matrix(args):
    """Runs every mode with every set of features, each in processes of its own, and prints the table."""
    several = torch.cuda.device_count() > 1
    modes = chosen(args.modes or ("single,ddp,zero1,fsdp" if several else "single"), MODES, "--modes")
    features = chosen(args.features, FEATURES, "--features")
    rows = [("mode", "features", "step s", "tokens/s/GPU", "TFLOP/s", "MFU", "allocated GB", "device GB", "remark")]
    result_file = f"{os.path.abspath(__file__)}.{os.getpid()}.result"
    for mode, words in itertools.product(modes, features):
        change, ranks = variant(mode, words)
        launch = [sys.executable] if ranks == 1 else [sys.executable, "-m", "torch.distributed.run", "--standalone",
                                                      f"--nproc-per-node={ranks}"]
        command = launch + [os.path.abspath(__file__), "--variant", json.dumps(change), "--result", result_file,
                            "--warmup", str(args.warmup), "--steps", str(args.steps), "--device", args.device]
        if args.record:
            command += ["--record", os.path.abspath(args.record)]
        rows.append((mode, words) + matrix_row(command, result_file, args.limit))
        print("  ".join(rows[-1]), flush=True)
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    print()
    for row in rows:
        print("  ".join(cell.ljust(w) if i < 2 or i == 8 else cell.rjust(w)
                        for i, (cell, w) in enumerate(zip(row, widths))).rstrip())


def matrix_row(command, result_file, limit):
    """The cells of one run; a run that fails is a row that says why."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)
        if os.path.exists(result_file):
            with open(result_file, encoding="utf-8") as file:
                row = json.load(file)
            os.remove(result_file)
            return tuple(row)
        lines = [line for line in done.stderr.strip().splitlines() if "rror" in line] or ["no result"]
        why = lines[-1]
    except subprocess.TimeoutExpired:
        why = f"not done after {limit} s"
    return ("-",) * 6 + (why[:100],)


def cells(job, result):
    f = Figures(job, result)
    memory = [f"{max(result[kind]) / 1e9:.2f}" if kind in result else "-" for kind in ("allocated", "device")]
    return [f"{f.step:.4f}", f"{f.tokens_per_s / job.world:.0f}", f"{f.rates['model'] / 1e12:.1f}",
            f"{100 * f.share('model'):.1f}%", *memory, ""]


# --- one run --------------------------------------------------------------------------------------------


def progress_line(job, layout, style):
    """What is called after each step with its number and time."""
    if style == "llm-bench":
        peak = job.bench["peak_flops"]
        work = llm_bench_flops(job, job.bench["parameters"]["built"]) / job.world
        end = "\r" if sys.stdout.isatty() else "\n"
        return lambda i, t: print(f"[rank{layout.rank}] {work / t / 1e12:.2f}TFLOP/s MFU={work / t / peak:.2%}",
                                  end=end, flush=True)
    if layout.rank != 0:
        return lambda i, t: None
    return lambda i, t: print(f"step {i + 1}/{job.how['steps']}: {t:.6f} s", flush=True)


def arguments():
    how = BENCH["how"]
    parser = argparse.ArgumentParser(description="Measures one training job: " + BENCH["title"])
    add = parser.add_argument
    add("--record", metavar="FILE", help="file to append the run record to, for traincost validate")
    add("--id", help="identifier of the record; default: model, time and process")
    add("--report", action="store_true", help="also print the layout of Lightning-LLM-Training-Test")
    add("--style", choices=("plain", "llm-bench"), default="plain", help="progress line; default: plain")
    add("--matrix", action="store_true", help="run every mode with every set of features")
    add("--modes", metavar="LIST", help=f"rows of the matrix: {', '.join(MODES)}; default: all that the GPUs allow")
    add("--features", metavar="LIST", default=USUAL_FEATURES,
        help=f"feature sets, joined by +: {', '.join(FEATURES)}; default: {USUAL_FEATURES}")
    add("--limit", type=float, default=900, metavar="SECONDS", help="time limit per run of the matrix; default: 900")
    add("--warmup", type=int, default=how["warmup"], metavar="STEPS", help=f"warm-up steps; default: {how['warmup']}")
    add("--steps", type=int, default=how["steps"], metavar="STEPS", help=f"measured steps; default: {how['steps']}")
    add("--device", choices=("cuda", "cpu"), default="cuda", help="default: cuda; cpu only checks the script")
    add("--variant", metavar="JSON", help=argparse.SUPPRESS)
    add("--result", metavar="FILE", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.steps < 1 or args.warmup < 0:
        fail("--steps must be 1 or more, --warmup 0 or more")
    return args


def asked_job(args):
    """The job of the block with what the command line changes."""
    change = json.loads(args.variant) if args.variant else {}
    bench = {**BENCH, "how": {**BENCH["how"], "warmup": args.warmup, "steps": args.steps, "varied": bool(args.variant)}}
    bench["choices"] = change.pop("choices", BENCH["choices"])
    bench["job"] = merged(bench["job"], change)
    gemm = bench["job"]["run"]["precision"]["gemm"]
    bench["peak_flops"] = bench["peaks"].get(gemm)
    if bench["peak_flops"] is None:
        fail(f"{bench['job']['cluster']['accelerator']['id']} has no {gemm} products")
    return Job(bench)


def same_device(job, name):
    """Whether the device's name holds the first word of the job's accelerator: "h200" in "NVIDIA H200"."""
    return job.cluster["accelerator"]["id"].split("-")[0] in name.lower().replace(" ", "")


def check_device(job, args):
    if args.device == "cpu":
        if args.record:
            fail("--record: a record of the cpu would say " + job.cluster["accelerator"]["id"] + "; allowed: --device cuda")
        return
    if not torch.cuda.is_available():
        fail("no GPU is visible to torch; --device cpu only checks the script")
    if job.fp8 and torch.cuda.get_device_capability() < (8, 9):
        fail(f"{torch.cuda.get_device_name()} has no fp8 products; they begin with compute capability 8.9")
    if not same_device(job, torch.cuda.get_device_name()):
        print(f"bench: the job is for {job.cluster['accelerator']['id']}, but this GPU is {torch.cuda.get_device_name()}", file=sys.stderr)


def one_run(args):
    job = asked_job(args)
    check_device(job, args)
    layout = Layout(job, args.device)
    result = error = None
    try:
        result = measure(job, layout, progress_line(job, layout, args.style))
    except torch.cuda.OutOfMemoryError as short:
        error = "out of memory"
        print(f"out of memory: {str(short).splitlines()[0]}", file=sys.stderr)
    if layout.rank == 0:
        name = args.id or f"bench-{job.model['id']}-{datetime.datetime.now():%Y%m%d-%H%M%S}-{os.getpid()}"
        if args.record:
            with open(args.record, "a", encoding="utf-8") as file:
                file.write(json.dumps(run_record(job, layout, result, name, error)) + "\n")
        if result:
            print(summary(job, layout, result))
            if args.report:
                print("\n" + lightning_report(job, result), end="")
        if args.result:
            with open(args.result, "w", encoding="utf-8") as file:
                json.dump(cells(job, result) if result else ["-"] * 6 + [error], file)
    if layout.mesh is not None and not error:
        dist.destroy_process_group()
    return 1 if error else 0


def main():
    args = arguments()
    if args.matrix:
        matrix(args)
        return 0
    return one_run(args)


if __name__ == "__main__":
    sys.exit(main())
