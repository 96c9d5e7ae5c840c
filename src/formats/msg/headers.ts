import { HEAD_BYTES, PROPERTIES, Properties } from './properties.ts';

const RECIPIENT = /^__recip_version1\.0_#/;
const MOST_RECIPIENTS = 1_000;
const TO = 1;
const CC = 2;
const BCC = 3;

interface Person {
  name: string;
  /** An address that mail is sent to; empty where only a directory inside a company knows the person. */
  address: string;
}

const firstOf = (properties: Properties, ...ids: number[]) =>
  ids.flatMap((id) => properties.text(id)?.trim() || []);
const isAddress = (text: string) => text.includes('@');

export function senderOf(message: Properties): Person {
  const { representingName, senderName, representingSmtp, senderSmtp, representingAddress, senderAddress } =
    PROPERTIES;
  const [name = ''] = firstOf(message, representingName, senderName);
  const addresses = firstOf(message, representingSmtp, senderSmtp, representingAddress, senderAddress);
  return { name, address: addresses.find(isAddress) ?? '' };
}

function shown({ name, address }: Person): string {
  if (address === '' || name === '' || name === address) return name || address;
  return `${name} <${address}>`;
}

function recipientsOf(message: Properties): Map<number, string[]> {
  const byType = new Map<number, string[]>();
  const folders = message.folder.folderNames.filter((name) => RECIPIENT.test(name)).sort();
  for (const folderName of folders.slice(0, MOST_RECIPIENTS)) {
    const folder = message.folder.folder(folderName);
    if (!folder) continue;
    const recipient = new Properties(folder, HEAD_BYTES.part, message.codePage);
    const [name = ''] = firstOf(recipient, PROPERTIES.displayName);
    const addresses = firstOf(recipient, PROPERTIES.smtpAddress, PROPERTIES.address);
    const type = recipient.number(PROPERTIES.recipientType) ?? TO;
    const text = shown({ name, address: addresses.find(isAddress) ?? '' });
    const known = byType.get(type) ?? [];
    byType.set(type, known);
    if (text !== '') known.push(text);
  }
  return byType;
}

/** The header lines that a reader of the message sees, in their usual order. */
export function headersOf(message: Properties): [name: string, value: string][] {
  const recipients = recipientsOf(message);
  const list = (type: number, display: number) =>
    recipients.get(type)?.join(', ') ?? message.text(display)?.trim() ?? '';
  const sent = message.time(PROPERTIES.submitTime) ?? message.time(PROPERTIES.deliveryTime);
  const lines: [string, string][] = [
    ['From', shown(senderOf(message))],
    ['To', list(TO, PROPERTIES.displayTo)],
    ['Cc', list(CC, PROPERTIES.displayCc)],
    ['Bcc', list(BCC, PROPERTIES.displayBcc)],
    ['Date', sent?.toUTCString() ?? ''],
    ['Subject', message.text(PROPERTIES.subject)?.trim() ?? ''],
  ];
  return lines.filter(([, value]) => value !== '');
}
