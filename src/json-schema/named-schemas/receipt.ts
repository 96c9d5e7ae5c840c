import type { JsonSchema } from '#src/json-schema/schema.ts';

const text = (description: string): JsonSchema => ({ type: 'string', description });
const amount = (description: string): JsonSchema => ({ type: 'number', description });

export const receipt: JsonSchema = {
  type: 'object',
  title: 'Receipt',
  properties: {
    merchantName: text('Shop or company'),
    merchantAddress: text('Its address'),
    merchantPhone: text('Its telephone number'),
    receiptNumber: text('Number of the receipt'),
    date: { type: 'string', format: 'date', description: 'Date of the purchase' },
    time: text('Time of the purchase'),
    items: {
      type: 'array',
      description: 'What was bought, a line each',
      items: {
        type: 'object',
        properties: {
          description: text('Item or article'),
          quantity: amount('Quantity'),
          unitPrice: amount('Price of one, unit price'),
          totalPrice: amount('Amount of the line'),
        },
      },
    },
    subTotal: amount('Sum of the lines before tax'),
    tax: amount('Tax, VAT'),
    tip: amount('Tip, gratuity'),
    total: amount('Total paid'),
    currency: text('Currency of the amounts'),
    paymentMethod: text('Cash, or which card'),
  },
};
