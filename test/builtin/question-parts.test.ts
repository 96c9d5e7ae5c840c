import { describe, expect, it } from 'vitest';
import { splitIntoQuestions } from '#src/builtin/question-parts.ts';

describe('splitIntoQuestions', () => {
  it.each([
    [
      'When was the Corran bridge opened? What does the Ardgour ferry cost?',
      ['When was the Corran bridge opened?', 'What does the Ardgour ferry cost?'],
    ],
    [
      'When was the Corran bridge opened, and what does the Ardgour ferry cost?',
      ['When was the Corran bridge opened', 'what does the Ardgour ferry cost?'],
    ],
    [
      'Wann wurde die Brücke von Corran eröffnet, und was kostet die Fähre nach Ardgour?',
      ['Wann wurde die Brücke von Corran eröffnet', 'was kostet die Fähre nach Ardgour?'],
    ],
    [
      'Когда открыли мост Корран, и сколько стоит паром Ардгур?',
      ['Когда открыли мост Корран', 'сколько стоит паром Ардгур?'],
    ],
    ['科兰大桥是什么时候开通的？渡轮多少钱？', ['科兰大桥是什么时候开通的？', '渡轮多少钱？']],
    [
      'compare the tolls of Corran and Ardgour',
      [
        'compare the tolls of Corran and Ardgour',
        'compare the tolls of Corran',
        'compare the tolls of Ardgour',
      ],
    ],
  ])('%s', (question, parts) => {
    const found = splitIntoQuestions(question);
    expect(found).toHaveLength(parts.length);
    for (const [index, part] of parts.entries()) expect(found[index]!.startsWith(part)).toBe(true);
  });

  it('adds the omitted subject to a later part', () => {
    const [, second] = splitIntoQuestions('When was the Corran bridge opened, and who painted its arch?');
    expect(second).toMatch(/^who painted its arch\?.* Corran/);
  });

  it.each([
    ['When was the Corran bridge opened?'],
    ['Which paint is used for iron, steel and wood in wet rooms?'],
    ['Really? When was the Corran bridge opened?'],
    ['When was the bridge opened, and why?'],
    [''],
    [`What is it? ${'a long story about a bridge. '.repeat(100)}`],
  ])('does not split %s', (question) => {
    expect(splitIntoQuestions(question)).toEqual([question]);
  });

  it('returns at most three parts', () => {
    const question =
      'Who built the bridge? Who painted the arch? Who sells the tickets? Who steers the ferry?';
    expect(splitIntoQuestions(question)).toHaveLength(3);
  });
});
