/**
 * SVG paths on a 20 by 20 grid. Icons are hidden from screen readers, because each has a text or a labelled
 * button next to it.
 */
const PATHS = {
  index: 'M3 5.5h14M3 10h14M3 14.5h9',
  file: 'M5 2.5h6l4 4v11H5zM11 2.5v4h4',
  parse: 'M3 3.5h14v13H3zM10 3.5v13M5.5 7h2M5.5 10h2M12.5 7h2M12.5 10h2M12.5 13h2',
  extract: 'M7 3.5C4.5 3.5 6 9 3.5 10c2.5 1 1 6.5 3.5 6.5M13 3.5c2.5 0 1 5.5 3.5 6.5-2.5 1-1 6.5-3.5 6.5',
  classify: 'M3 9.5V3.5h6l8 8-6 6zM6.5 7h.01',
  batch: 'M3 3h10v10H3zM7 17h10V7M6 6.5h4M6 9.5h4',
  retriever: 'M9 14.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11zM13 13l4 4',
  connection: 'M7 3v4M13 3v4M5 7h10v3a5 5 0 0 1-10 0zM10 15v3',
  webhook: 'M4 13a3 3 0 1 0 3 3h6M10 6a3 3 0 1 0-2.5 3L5.5 12.5M12.5 5l3 6a3 3 0 1 1-1 5',
  usage: 'M4 16.5v-5M8 16.5v-9M12 16.5v-7M16 16.5v-12',
  key: 'M7 13a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM10.5 9.5h7M15 9.5v3',
  team: 'M7.5 9a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2 17c0-3 2.5-5 5.5-5s5.5 2 5.5 5M13 3.5a3 3 0 0 1 0 5.5M15 12.5c2 .7 3 2.3 3 4.5',
  project: 'M3 5h5l2 2h7v9H3z',
  about: 'M10 18a8 8 0 1 0 0-16 8 8 0 0 0 0 16zM10 9v5M10 6.5h.01',
  trace: 'M4 4h5M9 4v12M9 10h7M9 16h7M4 4v.01',
  thumbUp: 'M6 9l4-6c1.5 0 2 1 1.6 2.4L11 8h5l-1.5 8H6zM3 9h3v7H3z',
  thumbDown: 'M6 11l4 6c1.5 0 2-1 1.6-2.4L11 12h5l-1.5-8H6zM3 4h3v7H3z',
  chat: 'M3 4h14v10H9l-4 3v-3H3z',
  plus: 'M10 4v12M4 10h12',
  minus: 'M4 10h12',
  close: 'M5 5l10 10M15 5L5 15',
  check: 'M4 10.5l4 4 8-9',
  warning: 'M10 3l8 14H2zM10 8v4M10 14.5h.01',
  failed: 'M10 18a8 8 0 1 0 0-16 8 8 0 0 0 0 16zM7 7l6 6M13 7l-6 6',
  clock: 'M10 18a8 8 0 1 0 0-16 8 8 0 0 0 0 16zM10 5.5V10l3 2',
  running: 'M16.5 10A6.5 6.5 0 1 1 14 4.9M14 2v3.5h-3.5',
  retry: 'M16.5 10A6.5 6.5 0 1 1 14 4.9M14 2v3.5h-3.5',
  stop: 'M5.5 5.5h9v9h-9z',
  play: 'M6 4l10 6-10 6z',
  send: 'M10 16V4M5 9l5-5 5 5',
  upload: 'M10 13V3M6 7l4-4 4 4M3.5 13v4h13v-4',
  download: 'M10 3v10M6 9l4 4 4-4M3.5 13v4h13v-4',
  copy: 'M7 7h9v10H7zM4 13V3h9',
  trash: 'M3.5 5.5h13M8 5.5V3h4v2.5M5.5 5.5l1 11.5h7l1-11.5M8.5 9v5M11.5 9v5',
  edit: 'M4 16l1-4 8.5-8.5 3 3L8 15z',
  more: 'M4 10a.6.6 0 1 0 1.2 0 .6.6 0 1 0-1.2 0zM9.4 10a.6.6 0 1 0 1.2 0 .6.6 0 1 0-1.2 0zM14.8 10a.6.6 0 1 0 1.2 0 .6.6 0 1 0-1.2 0z',
  menu: 'M3 5.5h14M3 10h14M3 14.5h14',
  code: 'M7 6l-4 4 4 4M13 6l4 4-4 4',
  search: 'M9 14.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11zM13 13l4 4',
  filter: 'M3 5h14M6 10h8M8.5 15h3',
  up: 'M5 12l5-5 5 5',
  down: 'M5 8l5 5 5-5',
  left: 'M12 5l-5 5 5 5',
  right: 'M8 5l5 5-5 5',
  light:
    'M10 13.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM10 2v2M10 16v2M2 10h2M16 10h2M4.5 4.5l1.3 1.3M14.2 14.2l1.3 1.3M4.5 15.5l1.3-1.3M14.2 5.8l1.3-1.3',
  dark: 'M16.5 12A7 7 0 0 1 8 3.5 7 7 0 1 0 16.5 12z',
  leave: 'M8 3.5H4v13h4M12 6l4 4-4 4M16 10H8',
  open: 'M11 3.5h5.5V9M16.5 3.5L9 11M13 12v4.5H3.5V7H8',
  settings: 'M3 6h8M15 6h2M3 14h2M9 14h8M13 8a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM7 16a2 2 0 1 0 0-4 2 2 0 0 0 0 4z',
  compare: 'M3 4h5.5v12H3zM11.5 4H17v12h-5.5z',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path
        d={PATHS[name]}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.6"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
