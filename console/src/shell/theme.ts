export type Theme = 'system' | 'light' | 'dark';

const KEY = 'sluice-theme';

export const getTheme = (): Theme => {
  const stored = localStorage.getItem(KEY);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
};

/** Stores the theme in local storage. `system` follows the browser and removes the stored value. */
export function setTheme(chosen: Theme): void {
  if (chosen === 'system') localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, chosen);
  applyTheme();
}

export function applyTheme(): void {
  const chosen = getTheme();
  if (chosen === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
}
