const K1 = 1.2;
const B = 0.75;

/**
 * Counts the words of texts, which are separated by white space. The returned function scores a text for one word by
 * BM25 as Lucene does, or returns 0 if the text does not contain the word.
 */
export function countTexts(texts: Map<string, string>): (id: string, word: string) => number {
  const counts = new Map([...texts].map(([id, text]) => [id, countEach(text)]));
  const lengths = new Map(
    [...counts].map(([id, each]) => [id, [...each.values()].reduce((a, b) => a + b, 0)]),
  );
  const mean = [...lengths.values()].reduce((a, b) => a + b, 0) / (texts.size || 1);
  const having = new Map<string, number>();
  for (const each of counts.values()) {
    for (const word of each.keys()) having.set(word, (having.get(word) ?? 0) + 1);
  }
  return (id, word) => {
    const frequency = counts.get(id)?.get(word) ?? 0;
    const n = having.get(word) ?? 0;
    const idf = Math.log(1 + (texts.size - n + 0.5) / (n + 0.5));
    return frequency && (idf * frequency) / (frequency + K1 * (1 - B + (B * lengths.get(id)!) / mean));
  };
}

function countEach(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of text.split(/\s+/u).filter(Boolean)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
