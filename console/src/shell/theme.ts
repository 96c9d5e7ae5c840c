export type Theme = 'system' | 'light' | 'dark';

const KEY = 'sluice-theme';

export const theme = (): Theme => {
  const kept = localStorage.getItem(KEY);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
};

/** `system` follows the browser. Nothing but this choice is ever kept in the browser's storage. */
export function setTheme(chosen: Theme): void {
  if (chosen === 'system') localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, chosen);
  applyTheme();
}

export function applyTheme(): void {
  const chosen = theme();
  if (chosen === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
}
