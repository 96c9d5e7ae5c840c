import type { AnswerEvent } from './answer.ts';
import { checkedMarks } from './checked-marks.ts';
import { type Evidence, evidenceIn } from './support.ts';

/** A citation that was taken out of an answer, and why. */
export interface Dropped {
  type: 'dropped';
  citation: number;
  statement: string;
  reason: string;
}

/**
 * A model's answer with those of its citations alone that the passages, as it was shown them, bear out. Without
 * `showsMarks` all are taken out, and not told of.
 */
export async function* checkedAnswer(
  events: AsyncGenerator<AnswerEvent>,
  passages: readonly string[],
  showsMarks: boolean,
): AsyncGenerator<AnswerEvent> {
  const others: AnswerEvent[] = [];
  const known = new Map<number, Evidence>();
  const check = (citation: number, statement: string): string | undefined => {
    if (!showsMarks) return 'no citations were asked for';
    const passage = passages[citation - 1];
    if (passage === undefined) return 'there is no passage of this number';
    const evidence = known.get(citation) ?? evidenceIn(passage);
    known.set(citation, evidence);
    return evidence.against(statement);
  };
  for await (const piece of checkedMarks(textIn(events, others), check)) {
    if (piece.type === 'text' || showsMarks) yield piece;
  }
  yield* others;
}

async function* textIn(events: AsyncGenerator<AnswerEvent>, others: AnswerEvent[]): AsyncGenerator<string> {
  for await (const event of events) {
    if (event.type === 'text') yield event.delta;
    else others.push(event);
  }
}
