import { describe, expect, it } from 'vitest';
import { buildStandaloneQuestion } from '#src/builtin/follow-up.ts';

describe('a follow-up question', () => {
  it.each([
    [
      'What does the poem on the Corran bridge say?',
      'and the second line of it?',
      ['poem', 'Corran', 'bridge'],
    ],
    ['When was the Corran bridge opened?', 'By whom?', ['Corran', 'bridge', 'opened']],
    ['When was the Corran bridge opened?', 'Who painted it?', ['Corran', 'bridge']],
    ['When was the Corran bridge opened?', 'What about the Ardgour ferry?', ['Corran', 'bridge', 'opened']],
    ['Wann wurde die Brücke von Corran eröffnet?', 'Und von wem?', ['Brücke', 'Corran', 'eröffnet']],
    ['Quand le pont de Corran a-t-il été ouvert ?', 'Et par qui ?', ['pont', 'Corran', 'ouvert']],
    ['¿Cuándo se inauguró el puente de Corran?', '¿Y quién lo pintó?', ['inauguró', 'puente', 'Corran']],
    ['Wanneer is de brug van Corran geopend?', 'En door wie?', ['brug', 'Corran', 'geopend']],
    ['Kiedy otwarto most w Corran?', 'A przez kogo?', ['otwarto', 'most', 'Corran']],
    ['Когда открыли мост Корран?', 'А кто его покрасил?', ['открыли', 'мост', 'Корран']],
    ['コラン橋はいつ開通しましたか', 'その色は何ですか', ['コラン橋はいつ開通しましたか']],
    ['科兰大桥是什么时候开通的？', '谁建的？', ['科兰大桥是什么时候开通的']],
  ])('after "%s": "%s" adds the topic of the previous question', (before, question, carried) => {
    const searched = buildStandaloneQuestion([before, question]);
    expect(searched.startsWith(question)).toBe(true);
    for (const word of carried) expect(searched.slice(question.length)).toContain(word);
  });

  it('adds no stop words and no words that the question already contains', () => {
    const questions = ['When was the Corran bridge opened?', 'And who painted the bridge?'];
    expect(buildStandaloneQuestion(questions)).toBe('And who painted the bridge? Corran opened');
  });

  it('takes its topic from earlier questions through other follow-ups', () => {
    const questions = ['When was the Corran bridge opened?', 'By whom?', 'And why?'];
    expect(buildStandaloneQuestion(questions)).toBe('And why? Corran bridge opened');
  });

  it.each([
    ['Is there a ferry to Ardgour?'],
    ['What time does the harbour office open?'],
    ['Wat zijn de openingstijden van het havenkantoor?'],
    ['Qu’est-ce que la taxe portuaire de Corran ?'],
    ['Gibt es eine Fähre nach Ardgour?'],
    ['港の事務所は何時に開きますか'],
    [`And ${'a very long question '.repeat(20)}`],
  ])('is not detected in "%s"', (question) => {
    expect(buildStandaloneQuestion(['When was the Corran bridge opened?', question])).toBe(question);
  });

  it('is never the first question', () => {
    expect(buildStandaloneQuestion(['And?'])).toBe('And?');
    expect(buildStandaloneQuestion([])).toBe('');
  });
});
