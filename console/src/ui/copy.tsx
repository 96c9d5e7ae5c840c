import { useState } from 'react';
import { announce } from './announce.tsx';
import { Button, IconButton } from './button.tsx';

/** Copies a text; says so in its own place and aloud. `children`: the words on it, else it is an icon. */
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
