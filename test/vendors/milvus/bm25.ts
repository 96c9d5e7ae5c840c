const K1 = 1.2;
const B = 0.75;

/**
 * Scores texts like Milvus with the tokenizer `whitespace`: a term of the query counts as often as it occurs there. Texts
 * without a term of the query have no score.
 */
export function scoreTexts(query: string, texts: Map<string, string>): Map<string, number> {
  const counted = [...texts].map(([id, text]) => ({ id, counts: countWords(text) }));
  const lengths = counted.map(({ counts }) => [...counts.values()].reduce((sum, count) => sum + count, 0));
  const mean = lengths.reduce((sum, length) => sum + length, 0) / (lengths.length || 1);
  const scores = new Map<string, number>();
  for (const [term, times] of countWords(query)) {
    const having = counted.filter(({ counts }) => counts.has(term)).length;
    const idf = Math.log(1 + (counted.length - having + 0.5) / (having + 0.5));
    for (const [at, { id, counts }] of counted.entries()) {
      const frequency = counts.get(term);
      if (frequency === undefined) continue;
      const share = (frequency * (K1 + 1)) / (frequency + K1 * (1 - B + (B * lengths[at]!) / mean));
      scores.set(id, (scores.get(id) ?? 0) + times * idf * share);
    }
  }
  return scores;
}

function countWords(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of text.split(/[ \t\n\r\f\v]+/).filter(Boolean))
    counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
