/** Returns the prompt with which a vision model transcribes a page. It asks for Markdown only. */
export function buildTranscriptionPrompt(languages: readonly string[]): string {
  const hint = languages.length > 0 ? ` Its languages, as codes: ${languages.join(', ')}.` : '';
  return `Transcribe all text in this picture of a page, exactly as written and in reading order.${hint}
Use Markdown: # for headings, - for lists, pipe tables for tables. Join lines of one paragraph and words that a line's end divides.
Do not translate, summarise, correct, describe pictures or add anything. Without any text answer with the one word NOTHING.`;
}

/**
 * Removes the Markdown code fence in which models often wrap their answer. Returns an empty string for the
 * answer NOTHING, which stands for a page without text.
 */
export function unwrapTranscript(answer: string): string {
  const text = answer.trim();
  const fenced = /^```(?:markdown|md|text)?\n([\s\S]*?)\n?```$/.exec(text);
  const body = (fenced?.[1] ?? text).trim();
  return /^NOTHING\.?$/.test(body) ? '' : body;
}
