// Ahead of the rest of the page: the first worker, which unpacks and compiles the engine while the page is still read.
import { served } from './served.js';

if (!served) {
    const url = URL.createObjectURL(new Blob([document.getElementById('worker').textContent], { type: 'text/javascript' }));
    const worker = new Worker(url);
    // What it says before anyone listens.
    const said = [];
    worker.onmessage = ({ data }) => said.push(data);
    worker.onerror = ({ message }) => said.push({ absent: message });
    window.traincostStart = {
        url, worker, said,
        /** Hands over the part of the engine in front of the script that calls this. */
        give() {
            const part = document.currentScript.previousElementSibling;
            worker.postMessage({ packed: part.textContent, last: part.dataset.engine === 'last' });
        },
    };
}
