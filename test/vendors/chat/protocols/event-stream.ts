import { crc32 } from 'node:zlib';

const STRING = 7;
const utf8 = new TextEncoder();

/**
 * Encodes a message of the AWS event stream: total length, header length, checksum of both, headers, payload,
 * checksum of all.
 */
export function eventMessage(type: string, payload: object): Uint8Array {
  const headers = Object.entries({
    ':event-type': type,
    ':content-type': 'application/json',
    ':message-type': 'event',
  }).flatMap(([name, value]) => {
    const [key, text] = [utf8.encode(name), utf8.encode(value)];
    return [key.length, ...key, STRING, text.length >> 8, text.length & 255, ...text];
  });
  const body = utf8.encode(JSON.stringify(payload));
  const message = new Uint8Array(16 + headers.length + body.length);
  const view = new DataView(message.buffer);
  view.setUint32(0, message.length);
  view.setUint32(4, headers.length);
  view.setUint32(8, crc32(message.subarray(0, 8)));
  message.set(headers, 12);
  message.set(body, 12 + headers.length);
  view.setUint32(message.length - 4, crc32(message.subarray(0, message.length - 4)));
  return message;
}
