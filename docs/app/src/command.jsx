// A command or a sentence with flags in it: a flag and its value are not torn apart at the end of a line.

const flag = /(\(?--[a-z][\w-]*(?: (?!--)[^\s]+|[),;.]+)?)/;

export function Flags({ text }) {
    return text.split(flag).map((part, i) => (i % 2 ? <span class="flag" key={i}>{part}</span> : part));
}
