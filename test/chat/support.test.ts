import { describe, expect, it } from 'vitest';
import { createEvidence } from '#src/chat/check-citations.ts';

const passage =
  '[1]\nfile_name: rock.pdf\nThe lighthouse keeper of Gull Rock is Matilda Oyelaran. The tower was built in 1,902 and is 41.5 m high.';
const against = (statement: string) => createEvidence(passage).findContradiction(statement);

describe('evidenceIn', () => {
  it.each([
    ['Matilda Oyelaran keeps the lighthouse.'],
    ['The tower, built in 1902, is 41,5 m high.'],
    ['On the rock there is a keeper named Oyelaran.'],
    ['Der Turm wurde im Jahr 1902 gebaut und ist nicht der höchste an der Küste.'],
  ])('accepts a statement that the passage supports: %s', (statement) => {
    expect(against(statement)).toBeUndefined();
  });

  it.each([
    ['The tower was built in 1920.', 'the passage does not contain the number 1920'],
    [
      'The lighthouse keeper of the rock is Edmund Barlow.',
      'the passage does not contain the names of the statement',
    ],
    [
      'Ferries leave from the eastern harbour every morning.',
      'the passage contains too few words of the statement',
    ],
    ['Der Turm wurde im Jahr 1920 gebaut.', 'the passage does not contain the number 1920'],
  ])('rejects a statement that the passage does not support: %s', (statement, reason) => {
    expect(against(statement)).toBe(reason);
  });

  it('compares statements in Chinese', () => {
    const chinese = createEvidence('灯塔由玛蒂尔达管理，建于1902年。');
    expect(chinese.findContradiction('灯塔建于1902年。')).toBeUndefined();
    expect(chinese.findContradiction('渡轮每天早上从港口出发。')).toBe(
      'the passage contains too few words of the statement',
    );
  });
});
