import { pipeline } from 'node:stream/promises';
import { Busboy } from '@fastify/busboy';
import { BadRequest, DomainError, getErrorMessage, Invalid } from '#src/lib/errors.ts';
import { ObjectWriter, type WrittenObject } from './object-writer.ts';

export interface MultipartUpload {
  fields: Record<string, string>;
  /** Form fields in their order. Repeated names occur several times. */
  values: (readonly [name: string, value: string])[];
  file: (WrittenObject & { name: string; contentType: string }) | undefined;
}

interface Options {
  fileParts: readonly string[];
  key: string;
  /** Maximum size of the file in bytes. */
  limit: number;
  /** Maximum number of form parts. Defaults to 50. */
  parts?: number;
}

const MAX_FIELD_BYTES = 64 * 1024;
const MAX_PARTS = 50;
const LIMITS = {
  fieldSize: MAX_FIELD_BYTES,
  headerPairs: 50,
  headerSize: 16 * 1024,
};

/**
 * Reads a multipart form as it arrives. The file is written to the bucket, and the other parts are returned.
 * If the form is invalid, nothing is left in the bucket. File names are read as UTF-8, as browsers and curl
 * send them, or from `filename*` (RFC 5987).
 */
export async function receiveMultipart(
  bucket: R2Bucket,
  request: Request,
  options: Options,
): Promise<MultipartUpload> {
  const fields: Record<string, string> = {};
  const values: MultipartUpload['values'] = [];
  const mostParts = options.parts ?? MAX_PARTS;
  const writer = new ObjectWriter(bucket, options.key, options.limit);
  const stop = new AbortController();
  let failure: unknown;
  const fail = (error: unknown) => {
    failure ??= error;
    stop.abort();
  };
  let found: { name: string; contentType: string; written: Promise<void> } | undefined;
  const form = createParser(request, options.fileParts, mostParts);
  form.on('field', (name, value, _, isCut) => {
    if (isCut)
      fail(createMalformedError(`the field ${JSON.stringify(name)} is longer than ${MAX_FIELD_BYTES} bytes`));
    else {
      fields[name] = value;
      values.push([name, value]);
    }
  });
  form.on('partsLimit', () => fail(createMalformedError(`it has more than ${mostParts} parts`)));
  form.on('file', (_, stream, name, __, contentType) => {
    // If the form ends inside the file, the file's stream fails as well as the form. Both errors have the
    // same meaning.
    stream.on('error', fail);
    if (found) {
      stream.resume();
      fail(new BadRequest('The form contains more than one file.'));
      return;
    }
    found = { name: name ?? '', contentType, written: writeAll(writer, stream, fail) };
  });
  let isWhole = false;
  try {
    await pipeline(request.body ?? [], form, { signal: stop.signal }).catch(fail);
    await found?.written;
    if (failure)
      throw failure instanceof DomainError ? failure : createMalformedError(getErrorMessage(failure));
    if (!found) return { fields, values, file: undefined };
    const written = await writer.finish();
    isWhole = true;
    return { fields, values, file: { ...written, name: found.name, contentType: found.contentType } };
  } finally {
    if (!isWhole) await writer.abort();
  }
}

function createParser(
  request: Request,
  fileParts: readonly string[],
  parts: number,
): InstanceType<typeof Busboy> {
  try {
    return new Busboy({
      headers: { 'content-type': request.headers.get('content-type') ?? '' },
      limits: { ...LIMITS, parts },
      isPartAFile: (name) => name !== undefined && fileParts.includes(name),
    });
  } catch (error) {
    throw createMalformedError(getErrorMessage(error));
  }
}

/**
 * Writes a stream to the bucket. Reading continues only after the bucket has accepted the previous chunk,
 * which limits memory use.
 */
async function writeAll(
  writer: ObjectWriter,
  stream: AsyncIterable<Uint8Array>,
  fail: (error: unknown) => void,
): Promise<void> {
  try {
    // The failure is reported before the loop ends. Leaving the loop destroys the stream, which would fail
    // the form with a less useful error.
    for await (const chunk of stream) {
      await writer.write(chunk).catch((error: unknown) => {
        fail(error);
        throw error;
      });
    }
  } catch (error) {
    fail(error);
  }
}

function createMalformedError(reason: string): Invalid {
  return new Invalid([
    { loc: ['body'], msg: `The multipart form is malformed: ${reason}`, type: 'multipart' },
  ]);
}
