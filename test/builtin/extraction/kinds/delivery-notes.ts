import { amount, count, date, text, type Written } from './written.ts';

const ASKED = {
  delivery_note_number: text(),
  delivery_date: date(),
  order_number: text(),
  customer: text('Name of the customer the goods go to'),
  carrier: text('Company that carries the goods'),
  packages: count('Number of packages'),
  weight: amount('Gross weight in kilograms'),
};

export const DELIVERY_NOTES: Written[] = [
  {
    name: 'delivery note, English',
    page: `Pellworth Timber Ltd
Dock Road 4, Hull HU1 2AB

DELIVERY NOTE

Delivery note no: DN-88213         Delivery date: 4 June 2031
Order no: PO-5521                  Carrier: Swift Haulage Ltd

Deliver to:
Marsh & Daughter Joinery
19 Quay Street
Hull HU3 4CD

Item              Quantity
Oak planks              40
Pine battens           120

Number of packages: 3
Gross weight: 412.5 kg`,
    properties: ASKED,
    expected: {
      delivery_note_number: 'DN-88213',
      delivery_date: '2031-06-04',
      order_number: 'PO-5521',
      customer: 'Marsh & Daughter Joinery',
      carrier: 'Swift Haulage Ltd',
      packages: 3,
      weight: 412.5,
    },
  },
  {
    name: 'delivery note, German',
    page: `Holzhandel Reuter GmbH
Hafenweg 3, 24103 Kiel

LIEFERSCHEIN

Lieferschein-Nr.: LS-7741          Lieferdatum: 04.06.2031
Bestellnummer: B-1190              Spedition: Küstenlogistik GmbH

Lieferanschrift:
Tischlerei Petersen
Am Markt 7
24837 Schleswig

Artikel             Menge
Eichenbohlen           40
Kiefernlatten         120

Anzahl Packstücke: 3
Bruttogewicht: 412,5 kg`,
    properties: ASKED,
    expected: {
      delivery_note_number: 'LS-7741',
      delivery_date: '2031-06-04',
      order_number: 'B-1190',
      customer: 'Tischlerei Petersen',
      carrier: 'Küstenlogistik GmbH',
      packages: 3,
      weight: 412.5,
    },
  },
  {
    name: 'delivery note, Spanish',
    page: `Maderas del Norte S.A.
Avenida del Puerto 9, 48001 Bilbao

ALBARÁN

Albarán n.º: A-3127                Fecha de entrega: 04/06/2031
N.º de pedido: P-660               Transportista: Rutas Vascas S.L.

Cliente:
Carpintería Olmedo
Calle Sol 22
26001 Logroño

Artículo            Cantidad
Tablones de roble         40
Listones de pino         120

Número de bultos: 3
Peso bruto: 412,5 kg`,
    properties: ASKED,
    expected: {
      delivery_note_number: 'A-3127',
      delivery_date: '2031-06-04',
      order_number: 'P-660',
      customer: 'Carpintería Olmedo',
      carrier: 'Rutas Vascas S.L.',
      packages: 3,
      weight: 412.5,
    },
  },
  {
    name: 'delivery note, French',
    page: `Bois de l'Ouest SA
12 quai du Port, 56100 Lorient

BON DE LIVRAISON

Bon de livraison n° : BL-2290      Date de livraison : 04/06/2031
N° de commande : C-418             Transporteur : Trans Armor SARL

Client :
Menuiserie Kervella
5 rue du Lin
29200 Brest

Article             Quantité
Planches de chêne         40
Tasseaux de pin          120

Nombre de colis : 3
Poids brut : 412,5 kg`,
    properties: ASKED,
    expected: {
      delivery_note_number: 'BL-2290',
      delivery_date: '2031-06-04',
      order_number: 'C-418',
      customer: 'Menuiserie Kervella',
      carrier: 'Trans Armor SARL',
      packages: 3,
      weight: 412.5,
    },
  },
];
