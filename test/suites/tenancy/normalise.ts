import type { Body } from '#test/suites/operation-calls.ts';
import type { Answer } from '#test/support/client.ts';

const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;

/** Returns an id of the same form that does not exist. */
export const nameNothing = (id: string) => id.replaceAll(UUID, '11111111-2222-4333-8444-555555555555');

export const showAnswer = ({ status, body }: Answer<Body>) => `${status} ${JSON.stringify(body)}`;

/** Returns an answer without the ids and times that differ between equal requests. */
export function normalise(answer: Answer<Body>, named: string): string {
  return showAnswer(answer)
    .replaceAll(named, '<named>')
    .replaceAll(UUID, '<id>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>');
}
