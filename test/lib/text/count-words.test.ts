import { describe, expect, it } from 'vitest';
import { countWords } from '#src/lib/text/count-words.ts';

describe('countWords', () => {
  it.each([
    ['', 0],
    ['  \n ', 0],
    ['The well-known ship, at 8:14.', 5],
    ['Die Fähre läuft aus', 4],
    ['배가 항구에 들어왔다', 3],
    ['船进入了港口', 3],
    ['船は、港に入る。', 3],
    ['コーヒー', 2],
    ['เรือเข้าท่า', 3],
    ['新しいGPU 2枚', 5],
    ['全角！記号', 2],
  ])('counts the words of %j', (text, count) => {
    expect(countWords(text)).toBe(count);
  });
});
