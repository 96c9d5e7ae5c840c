/** What a vision model is asked for; the answer is Markdown and nothing around it. */
export function transcriptionPrompt(languages: readonly string[]): string {
  const hint = languages.length > 0 ? ` Its languages, as codes: ${languages.join(', ')}.` : '';
  return `Transcribe all text in this picture of a page, exactly as written and in reading order.${hint}
Use Markdown: # for headings, - for lists, pipe tables for tables. Join lines of one paragraph and words that a line's end divides.
Do not translate, summarise, correct, describe pictures or add anything. Without any text answer with the one word NOTHING.`;
}

/** Models like to wrap what they were asked for. */
export function unwrapTranscript(answer: string): string {
  const text = answer.trim();
  const fenced = /^```(?:markdown|md|text)?\n([\s\S]*?)\n?```$/.exec(text);
  const body = (fenced?.[1] ?? text).trim();
  return /^NOTHING\.?$/.test(body) ? '' : body;
}
