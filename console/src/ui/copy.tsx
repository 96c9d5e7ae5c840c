import { useState } from 'react';
import { t } from '../i18n/messages.ts';
import { announce } from './announce.tsx';
import { Button, IconButton } from './button.tsx';

/**
 * Button that copies a text to the clipboard, with a visible and a spoken confirmation. Without `children`,
 * the button shows only an icon.
 */
export function CopyButton({ text, label, children }: { text: string; label: string; children?: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    announce(t('Copied'));
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  const icon = copied ? 'check' : 'copy';
  if (children === undefined) return <IconButton small icon={icon} label={label} onClick={copy} />;
  return (
    <Button small icon={icon} onClick={copy} aria-label={label}>
      {copied ? t('Copied') : children}
    </Button>
  );
}
