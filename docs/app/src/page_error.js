import { errorText } from './engine_errors.js';
import { filled, words } from './words.js';

/** What is wrong in the page itself rather than in the engine's answer: a word of words.js and the values in it. */
export class PageError extends Error {
    constructor(word, ...values) {
        super(filled(words('en')(word), ...values));
        Object.assign(this, { word, values });
    }
}

/** An error or a problem in the language of the page; what the browser says stays as it is. */
export const inWords = (t, { word, values, message }) => (word ? filled(t(word), ...values) : errorText(t, message));
