/** Saves a text as a file on the user's computer. */
export function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

/**
 * Formats rows as CSV (RFC 4180). Text that a spreadsheet would run as a formula gets an apostrophe, because
 * documents are not trusted.
 */
export function toCsv(columns: readonly string[], rows: readonly Record<string, unknown>[]): string {
  const cell = (value: unknown) => {
    const text = value == null ? '' : String(value);
    const harmless = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
  };
  const lines = [columns.map(cell), ...rows.map((row) => columns.map((name) => cell(row[name])))];
  return lines.map((cells) => `${cells.join(',')}\r\n`).join('');
}

/** Flattens nested values into columns named by their paths, such as `lines.0.amount`. */
export function flattenLeaves(value: unknown, path = ''): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return { [path]: value };
  const parts = Object.entries(value);
  return Object.assign(
    {},
    ...parts.map(([name, each]) => flattenLeaves(each, path ? `${path}.${name}` : name)),
  );
}
