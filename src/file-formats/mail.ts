import { defineFormat } from './define.ts';
import { MARKUP_EXTENSIONS } from './markup.ts';

const HEADER_NAMES =
  /^(?:received|return-path|delivered-to|mime-version|message-id|date|from|to|cc|subject|content-type|reply-to|x-[\w-]+|dkim-signature|arc-[\w-]+|authentication-results|envelope-to|sender|importance|list-[\w-]+|references|in-reply-to|thread-[\w-]+)$/i;

/**
 * Returns whether a text is an e-mail message. Such a text begins with header lines, and at least two of them
 * have usual names such as "From". Settings of a program may begin with the same names, so the
 * extensions of markup and source code exclude mail.
 */
function isMail(text: string, extension: string): boolean {
  if (MARKUP_EXTENSIONS.has(extension)) return false;
  const lines = text.replace(/^From .*\r?\n/, '').split(/\r\n|\n|\r/);
  const names = new Set<string>();
  for (const [index, line] of lines.entries()) {
    // The inspected text may be cut off in the middle of its last line, so that line is ignored.
    if (line.trim() === '' || (index > 0 && index === lines.length - 1)) break;
    if (/^[ \t]/.test(line)) continue;
    const name = /^([!-9;-~]+):/.exec(line)?.[1];
    if (!name) return false;
    if (HEADER_NAMES.test(name)) names.add(name.toLowerCase());
  }
  const hasTransportHeader = ['received', 'mime-version', 'message-id', 'return-path'].some((name) =>
    names.has(name),
  );
  const isNamedMail = ['eml', 'mht', 'mhtml', 'mbox'].includes(extension);
  return (
    names.size >= 2 && (isNamedMail || hasTransportHeader || (names.has('from') && names.has('subject')))
  );
}

export const eml = defineFormat({
  kind: 'eml',
  title: 'E-mail',
  extensions: ['eml'],
  mediaTypes: ['message/rfc822'],
  content: { text: { isCertain: isMail } },
  isParsedAsText: true,
});

export const msg = defineFormat({
  kind: 'msg',
  title: 'Outlook message',
  extensions: ['msg'],
  mediaTypes: ['application/vnd.ms-outlook'],
  content: { oleStreams: ['__properties_version1.0'] },
});
