/** Converts a path to a channel name, because channels have no folders. */
export const channelName = (path: string): string => path.replaceAll('/', ' ');

/** Escapes text as Slack stores it. */
export const slackText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
