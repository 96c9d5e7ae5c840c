import { flag } from './define.ts';

export const presentationParameters = {
  presentation_out_of_bounds_content: flag({
    description: 'Presentations: reads shapes outside the slide too.',
  }),
  presentation_skip_embedded_data: flag({
    description: 'Presentations: leaves out the data of charts and diagrams.',
  }),
};
