import { inParallel } from '#src/lib/async/in-parallel.ts';
import { SinkError } from '#src/ports/sink.ts';
import { type AstraClient, isTaken, KIND } from './client.ts';
import type { AstraDocument } from './document.ts';
import { done, inserted } from './wire.ts';

/**
 * Inserts documents, and replaces those that are there: nearly all are new, and the vendor inserts a hundred in a call
 * and replaces one.
 */
export async function writeDocuments(client: AstraClient, documents: AstraDocument[]): Promise<void> {
  const options = { ordered: false, returnDocumentResponses: true };
  const { errors, result } = await client.attempt({ insertMany: { documents, options } }, inserted);
  if (!result) throw client.refusal(errors[0]!);
  const answers = new Map(result.status.documentResponses.map((each) => [each._id, each]));
  const taken = documents.filter(({ _id }) => {
    const answer = answers.get(_id);
    if (answer?.status === 'OK') return false;
    const error = errors[answer?.errorsIdx ?? -1];
    if (error && isTaken(error)) return true;
    if (error) throw client.refusal(error);
    throw new SinkError(`The data sink (${KIND}) did not say what became of a document.`, {
      retryable: true,
    });
  });
  await inParallel(taken, (replacement) => {
    const filter = { _id: replacement._id };
    const findOneAndReplace = { filter, replacement, projection: { _id: 1 }, options: { upsert: true } };
    return client.toCollection({ findOneAndReplace }, done);
  });
}
