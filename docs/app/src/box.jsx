import { useEffect, useState } from 'preact/hooks';

/** A box of text that tells what was typed once it is left or Enter is pressed. What is typed until then stays, whatever is drawn anew. */
export function TextBox({ value, commit, ...rest }) {
    const [text, setText] = useState(value);
    useEffect(() => setText(value), [value]);
    return <input type="text" autocomplete="off" spellcheck={false} {...rest} value={text} onInput={(e) => setText(e.target.value)} onChange={(e) => commit(e.target.value.trim())} />;
}
