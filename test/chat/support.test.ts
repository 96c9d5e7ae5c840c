import { describe, expect, it } from 'vitest';
import { evidenceIn } from '#src/chat/checked-answer.ts';

const passage =
  '[1]\nfile_name: rock.pdf\nThe lighthouse keeper of Gull Rock is Matilda Oyelaran. The tower was built in 1,902 and is 41.5 m high.';
const against = (statement: string) => evidenceIn(passage).against(statement);

describe('a passage', () => {
  it.each([
    ['Matilda Oyelaran keeps the lighthouse.'],
    ['The tower, built in 1902, is 41,5 m high.'],
    ['On the rock there is a keeper named Oyelaran.'],
    ['Der Turm wurde im Jahr 1902 gebaut und ist nicht der höchste an der Küste.'],
  ])('bears out: %s', (statement) => {
    expect(against(statement)).toBeUndefined();
  });

  it.each([
    ['The tower was built in 1920.', 'the passage does not have the number 1920'],
    ['The lighthouse keeper of the rock is Edmund Barlow.', 'the passage does not have its names'],
    ['Ferries leave from the eastern harbour every morning.', 'the passage has too few of its words'],
    ['Der Turm wurde im Jahr 1920 gebaut.', 'the passage does not have the number 1920'],
  ])('does not bear out: %s', (statement, reason) => {
    expect(against(statement)).toBe(reason);
  });

  it('is compared in other scripts', () => {
    const chinese = evidenceIn('灯塔由玛蒂尔达管理，建于1902年。');
    expect(chinese.against('灯塔建于1902年。')).toBeUndefined();
    expect(chinese.against('渡轮每天早上从港口出发。')).toBe('the passage has too few of its words');
  });
});
