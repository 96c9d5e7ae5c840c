import { decodeExtended } from 'content-disposition';
import { decodeField, type MultipartError, make, type PartInfo } from 'multipasta';
import { BadRequest } from '#src/errors.ts';
import { ObjectWriter, type WrittenObject } from './object-writer.ts';

export interface MultipartUpload {
  fields: Record<string, string>;
  file: (WrittenObject & { name: string; contentType: string }) | undefined;
}

interface Options {
  /** Names of the form's parts that may hold the file. */
  fileParts: readonly string[];
  key: string;
  /** Bytes. */
  limit: number;
}

const MAX_FIELD_BYTES = 64 * 1024;

/**
 * Reads a multipart form as it arrives: the file goes straight to the bucket, the other parts are returned.
 * Nothing is left in the bucket when the form turns out to be wrong.
 */
export async function receiveMultipart(
  bucket: R2Bucket,
  request: Request,
  options: Options,
): Promise<MultipartUpload> {
  const fields: Record<string, string> = {};
  const pending: Uint8Array[] = [];
  const found: { info?: PartInfo; failure?: MultipartError } = {};
  const parser = make({
    headers: Object.fromEntries(request.headers),
    maxFieldSize: MAX_FIELD_BYTES,
    maxParts: 50,
    isFile: (info) => options.fileParts.includes(info.name),
    onField(info, value) {
      fields[info.name] = decodeField(info, value);
    },
    onFile(info) {
      if (found.info) throw new BadRequest('The form holds more than one file.');
      found.info = info;
      return (chunk) => {
        if (chunk) pending.push(chunk);
      };
    },
    onError(failure) {
      found.failure ??= failure;
    },
    onDone() {},
  });
  const writer = new ObjectWriter(bucket, options.key, options.limit);
  let finished = false;
  try {
    for await (const chunk of request.body ?? []) {
      write(parser, chunk);
      if (found.failure) break;
      // The parser only collects; writing here, between reads, is what keeps memory bounded.
      for (const bytes of pending.splice(0)) await writer.write(bytes);
    }
    if (!found.failure) parser.end();
    for (const bytes of pending.splice(0)) await writer.write(bytes);
    if (found.failure) throw new BadRequest(`The multipart form is malformed (${found.failure._tag}).`);
    if (!found.info) return { fields, file: undefined };
    const written = await writer.finish();
    finished = true;
    return {
      fields,
      file: { ...written, name: nameOf(found.info), contentType: found.info.contentType },
    };
  } finally {
    if (!finished) await writer.abort();
  }
}

/** A part may have a name in RFC 8187's form too; the parser knows that form only without a language. */
function nameOf({ filename, contentDispositionParameters: { 'filename*': extended } }: PartInfo): string {
  return (extended && decodeExtended(extended)) || (filename ?? '');
}

/** The parser throws, instead of reporting, at a name that is not well encoded (`filename*=UTF-8''%zz`). */
function write(parser: ReturnType<typeof make>, chunk: Uint8Array): void {
  try {
    parser.write(chunk);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    throw new BadRequest('The multipart form is malformed (the name of a file is not well encoded).');
  }
}
