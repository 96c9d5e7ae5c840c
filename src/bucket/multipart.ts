import { pipeline } from 'node:stream/promises';
import { Busboy } from '@fastify/busboy';
import { BadRequest, DomainError, Invalid, messageOf } from '#src/lib/errors.ts';
import { ObjectWriter, type WrittenObject } from './object-writer.ts';

export interface MultipartUpload {
  fields: Record<string, string>;
  /** The same in the order of the form, names that come again as well. */
  values: (readonly [name: string, value: string])[];
  file: (WrittenObject & { name: string; contentType: string }) | undefined;
}

interface Options {
  /** Names of the form's parts that may hold the file. */
  fileParts: readonly string[];
  key: string;
  /** Bytes. */
  limit: number;
  /** Most parts of the form, if more than usual. */
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
 * Reads a multipart form as it arrives: the file goes straight to the bucket, the other parts are returned.
 * Nothing is left in the bucket when the form turns out to be wrong. Names of files are UTF-8, as browsers and
 * curl send them, or RFC 5987's `filename*`.
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
  const form = parserOf(request, options.fileParts, mostParts);
  form.on('field', (name, value, _, isCut) => {
    if (isCut) fail(malformed(`the field ${JSON.stringify(name)} is longer than ${MAX_FIELD_BYTES} bytes`));
    else {
      fields[name] = value;
      values.push([name, value]);
    }
  });
  form.on('partsLimit', () => fail(malformed(`it has more than ${mostParts} parts`)));
  form.on('file', (_, stream, name, __, contentType) => {
    // A form that ends inside the file ends this stream with an error of its own; the form's says the same.
    stream.on('error', fail);
    if (found) {
      stream.resume();
      fail(new BadRequest('The form holds more than one file.'));
      return;
    }
    found = { name: name ?? '', contentType, written: writeAll(writer, stream, fail) };
  });
  let isWhole = false;
  try {
    await pipeline(request.body ?? [], form, { signal: stop.signal }).catch(fail);
    await found?.written;
    if (failure) throw failure instanceof DomainError ? failure : malformed(messageOf(failure));
    if (!found) return { fields, values, file: undefined };
    const written = await writer.finish();
    isWhole = true;
    return { fields, values, file: { ...written, name: found.name, contentType: found.contentType } };
  } finally {
    if (!isWhole) await writer.abort();
  }
}

function parserOf(
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
    throw malformed(messageOf(error));
  }
}

/** Reads on only when the bucket has taken what came: that is what keeps memory bounded. */
async function writeAll(
  writer: ObjectWriter,
  stream: AsyncIterable<Uint8Array>,
  fail: (error: unknown) => void,
): Promise<void> {
  try {
    // Told before the loop is left: leaving it destroys the stream, which fails the form for a lesser reason.
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

function malformed(reason: string): Invalid {
  return new Invalid([
    { loc: ['body'], msg: `The multipart form is malformed: ${reason}`, type: 'multipart' },
  ]);
}
