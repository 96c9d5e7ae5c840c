import { OLE_SIGNATURE, OleFile, oleStreamNames } from '#src/formats/shared/containers/ole.ts';
import { decryptAgile } from './agile.ts';
import { lockedFile, unreadableProtection } from './refusal.ts';
import { decryptStandard } from './standard.ts';

const CONTENT = 'EncryptedPackage';
const DESCRIPTION = 'EncryptionInfo';
const AGILE = 0x0004_0004;
/** Its second number; the first one tells the version of the program. */
const STANDARD = 2;
/** The length of the content stands before it, as eight bytes. */
const LENGTH_BYTES = 8;

/** Whether an OLE2 container holds an Office file of today that is encrypted. */
export function isEncryptedOffice(bytes: Uint8Array): boolean {
  if (!OLE_SIGNATURE.every((byte, at) => bytes[at] === byte)) return false;
  const names = oleStreamNames(bytes);
  return names.includes(CONTENT) || names.includes(DESCRIPTION);
}

/** The zip inside an encrypted Office file. Throws ParseError FILE_IS_PROTECTED without the right password. */
export async function decryptOffice(
  bytes: Uint8Array,
  password: string | null | undefined,
): Promise<Uint8Array> {
  if (!password) throw lockedFile(password);
  const container = new OleFile(bytes);
  const content = container.stream(CONTENT);
  const description = container.stream(DESCRIPTION);
  if (!content || !description || content.length < LENGTH_BYTES || description.length < LENGTH_BYTES) {
    throw unreadableProtection('a part of its container is missing');
  }
  const view = new DataView(content.buffer, content.byteOffset, content.byteLength);
  const length = Number(view.getBigUint64(0, true));
  const encrypted = content.subarray(LENGTH_BYTES);
  if (length > encrypted.length) throw unreadableProtection('its content is cut short');
  return (await decrypt(description, encrypted, password)).subarray(0, length);
}

function decrypt(description: Uint8Array, encrypted: Uint8Array, password: string): Promise<Uint8Array> {
  const version = new DataView(description.buffer, description.byteOffset).getUint32(0, true);
  const rest = description.subarray(LENGTH_BYTES);
  if (version === AGILE) return decryptAgile(new TextDecoder().decode(rest), encrypted, password);
  if (version >>> 16 === STANDARD) return decryptStandard(rest, encrypted, password);
  throw unreadableProtection('its kind of encryption is not known here');
}
