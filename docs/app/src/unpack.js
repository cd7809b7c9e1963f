// The module of the engine from its gzip, which comes in parts as base64.

/** The bytes of base64. A plain loop: Uint8Array.from calls a function for each of millions of letters. */
function decoded(text) {
    if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
    const letters = atob(text);
    const bytes = new Uint8Array(letters.length);
    for (let i = 0; i < letters.length; ++i) bytes[i] = letters.charCodeAt(i);
    return bytes;
}

/** A module that is compiled while its parts come: `give` takes the next, and says whether it is the last. */
export function unpacked() {
    let give;
    const bytes = new ReadableStream({
        start(to) {
            give = (part, last) => {
                to.enqueue(decoded(part));
                if (last) to.close();
            };
        },
    });
    const stream = bytes.pipeThrough(new DecompressionStream('gzip'));
    const module = WebAssembly.compileStreaming(new Response(stream, { headers: { 'Content-Type': 'application/wasm' } }));
    return { give, module };
}
