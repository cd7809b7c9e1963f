// What the page opens with, without an address: its questions, and the engine's answers, which build.mjs asked for.
// The page shows them before its own engine is compiled.
import { jobOf, usual } from './state.js';

export const openingQuestions = ['estimate', 'timeline'].map((command) => ({ command, ...jobOf(usual) }));

/** The version of the engine that answered, and its answers by the text of the question. Not for the page of a program, whose data may be others. */
export function openingAnswers() {
    const { version, answers } = JSON.parse(document.getElementById('opening').textContent);
    return { version, answers: new Map(answers) };
}
