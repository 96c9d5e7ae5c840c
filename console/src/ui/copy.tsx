import { useState } from 'react';
import { announce } from './announce.tsx';
import { Button, IconButton } from './button.tsx';

/**
 * Copies a text to the clipboard and confirms it visibly and to screen readers. Without `children` it is an
 * icon button.
 */
export function CopyButton({ text, label, children }: { text: string; label: string; children?: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    announce('Copied');
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  const icon = copied ? 'check' : 'copy';
  if (children === undefined) return <IconButton small icon={icon} label={label} onClick={copy} />;
  return (
    <Button small icon={icon} onClick={copy} aria-label={label}>
      {copied ? 'Copied' : children}
    </Button>
  );
}
