import { inParallel } from '#src/lib/async/in-parallel.ts';
import { SinkError } from '#src/ports/sink.ts';
import { type AstraClient, isDuplicate, PRODUCT } from './client.ts';
import type { AstraDocument } from './document.ts';
import { done, inserted } from './wire.ts';

/**
 * Inserts documents and replaces existing ones. All documents are inserted first, because nearly all are new.
 * Astra DB inserts a hundred documents per call, but replaces only one.
 */
export async function writeDocuments(client: AstraClient, documents: AstraDocument[]): Promise<void> {
  const options = { ordered: false, returnDocumentResponses: true };
  const { errors, result } = await client.sendForOutcome({ insertMany: { documents, options } }, inserted);
  if (!result) throw client.createRefusal(errors[0]!);
  const answers = new Map(result.status.documentResponses.map((each) => [each._id, each]));
  const duplicates = documents.filter(({ _id }) => {
    const answer = answers.get(_id);
    if (answer?.status === 'OK') return false;
    const error = errors[answer?.errorsIdx ?? -1];
    if (error && isDuplicate(error)) return true;
    if (error) throw client.createRefusal(error);
    throw new SinkError(`${PRODUCT} did not report whether a document was written.`, {
      retryable: true,
    });
  });
  await inParallel(duplicates, (replacement) => {
    const filter = { _id: replacement._id };
    const findOneAndReplace = { filter, replacement, projection: { _id: 1 }, options: { upsert: true } };
    return client.sendToCollection({ findOneAndReplace }, done);
  });
}
