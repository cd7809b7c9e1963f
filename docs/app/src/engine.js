// The engine: traincost.wasm and the few system calls it imports. No file, clock or network is behind them.

const badFile = 8;
const notSupported = 52;

function imports(memoryOf) {
    const view = () => new DataView(memoryOf().buffer);
    const none = (count, size) => {
        view().setUint32(count, 0, true);
        view().setUint32(size, 0, true);
        return 0;
    };
    const system = {
        proc_exit: (code) => {
            throw new Error(`the engine stopped (${code})`);
        },
        environ_sizes_get: none,
        environ_get: () => 0,
        fd_close: () => 0,
        fd_read: () => badFile,
        fd_seek: () => badFile,
        // Nothing in the library prints; what a runtime might say before it stops is dropped.
        fd_write: (file, vectors, count, written) => {
            let bytes = 0;
            for (let i = 0; i < count; ++i) bytes += view().getUint32(vectors + 8 * i + 4, true);
            view().setUint32(written, bytes, true);
            return 0;
        },
        clock_time_get: (id, precision, time) => {
            view().setBigUint64(time, BigInt(Math.round(performance.now() * 1e6)), true);
            return 0;
        },
    };
    const absent = (name) =>
        name === 'emscripten_notify_memory_growth' ? () => {} : () => -notSupported;
    return { system, absent };
}

export async function startEngine(module) {
    let memory = null;
    const { system, absent } = imports(() => memory);
    const given = {};
    for (const { module: room, name } of WebAssembly.Module.imports(module)) {
        given[room] ??= {};
        given[room][name] = system[name] ?? absent(name);
    }
    const instance = await WebAssembly.instantiate(module, given);
    const call = instance.exports;
    memory = call.memory;
    call._initialize?.();

    const textAt = (at) => {
        const bytes = new Uint8Array(memory.buffer);
        return new TextDecoder().decode(bytes.subarray(at, bytes.indexOf(0, at)));
    };
    return {
        version: textAt(call.traincost_version()),
        /** The answer's JSON text to a question's JSON text. */
        ask(question) {
            const bytes = new TextEncoder().encode(question);
            const at = call.malloc(bytes.length + 1);
            if (at === 0) throw Object.assign(new Error('too large'), { tooLarge: true });
            const heap = new Uint8Array(memory.buffer);
            heap.set(bytes, at);
            heap[at + bytes.length] = 0;
            try {
                const answer = call.traincost_ask(at);
                const text = textAt(answer);
                call.traincost_free(answer);
                return text;
            } finally {
                call.free(at);
            }
        },
    };
}
