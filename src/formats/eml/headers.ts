import type { Address, Email } from 'postal-mime';

function addressText(address: Address): string {
  if (address.group) return address.group.map(addressText).join(', ');
  if (address.name === '' || address.name === address.address) return address.address ?? '';
  return `${address.name} <${address.address}>`;
}

/** The header lines that a reader of the mail sees, in their usual order. */
export function headerLines(email: Email): [name: string, value: string][] {
  const list = (addresses: Address[] | undefined) =>
    (addresses ?? []).map(addressText).filter(Boolean).join(', ');
  const date = email.headers.find(({ key }) => key === 'date')?.value.trim() ?? '';
  const lines: [string, string][] = [
    ['From', email.from ? addressText(email.from) : ''],
    ['To', list(email.to)],
    ['Cc', list(email.cc)],
    ['Bcc', list(email.bcc)],
    ['Date', date],
    ['Subject', email.subject ?? ''],
  ];
  return lines.filter(([, value]) => value !== '');
}
