import { amount, date, text, type Written } from './written.ts';

const ASKED = {
  landlord: text('Name of the landlord'),
  tenant: text('Name of the tenant'),
  start_date: date('Day on which the lease begins'),
  monthly_rent: amount('Rent per month'),
  deposit: amount('Security deposit'),
  notice_period: text("Notice needed to end the lease, e.g. '2 months'"),
  city: text('City where the flat is'),
};

export const LEASES: Written[] = [
  {
    name: 'lease, English',
    page: `TENANCY AGREEMENT

This tenancy agreement is made on 2 May 2031 between Harbour Homes Ltd (the "Landlord") and Oscar Bellamy (the "Tenant").

1. Premises. The landlord lets to the tenant the flat at 14 Station Road, Exeter.

2. Term. The tenancy begins on 1 June 2031 and is periodic.

3. Rent. The rent is £950.00 per month, payable in advance on the first day of each month.

4. Deposit. The tenant pays a security deposit of £1,425.00 before moving in.

5. Notice. Either party may end the tenancy by giving two months' notice in writing.`,
    properties: ASKED,
    expected: {
      landlord: 'Harbour Homes Ltd',
      tenant: 'Oscar Bellamy',
      start_date: '2031-06-01',
      monthly_rent: 950,
      deposit: 1425,
      notice_period: '2 months',
      city: 'Exeter',
    },
  },
  {
    name: 'lease, German',
    page: `MIETVERTRAG

Zwischen Hausverwaltung Elbufer GmbH (nachfolgend „Vermieter“) und Matthias Kessler (nachfolgend „Mieter“) wird am 2. Mai 2031 folgender Mietvertrag geschlossen.

§ 1 Mietsache. Vermietet wird die Wohnung Lindenstraße 5 in Dresden.

§ 2 Mietzeit. Das Mietverhältnis beginnt am 1. Juni 2031 und läuft auf unbestimmte Zeit.

§ 3 Miete. Die monatliche Miete beträgt 950,00 Euro und ist im Voraus zu zahlen.

§ 4 Kaution. Der Mieter leistet eine Kaution von 2.850,00 Euro.

§ 5 Kündigung. Die Kündigungsfrist beträgt drei Monate.`,
    properties: ASKED,
    expected: {
      landlord: 'Hausverwaltung Elbufer GmbH',
      tenant: 'Matthias Kessler',
      start_date: '2031-06-01',
      monthly_rent: 950,
      deposit: 2850,
      notice_period: '3 Monate',
      city: 'Dresden',
    },
  },
  {
    name: 'lease, Spanish',
    page: `CONTRATO DE ARRENDAMIENTO

En Sevilla, a 2 de mayo de 2031, Inmobiliaria Guadalquivir S.L. (en adelante, el «Arrendador») y Álvaro Pineda Mora (en adelante, el «Arrendatario») acuerdan lo siguiente.

1. Objeto. El arrendador cede al arrendatario la vivienda situada en la calle Betis 8 de Sevilla.

2. Duración. El arrendamiento comienza el 1 de junio de 2031.

3. Renta. La renta mensual es de 950,00 euros, pagadera por anticipado.

4. Fianza. El arrendatario entrega una fianza de 1.900,00 euros.

5. Preaviso. Cualquiera de las partes puede terminar el contrato con un preaviso de dos meses.`,
    properties: ASKED,
    expected: {
      landlord: 'Inmobiliaria Guadalquivir S.L.',
      tenant: 'Álvaro Pineda Mora',
      start_date: '2031-06-01',
      monthly_rent: 950,
      deposit: 1900,
      notice_period: '2 meses',
      city: 'Sevilla',
    },
  },
  {
    name: 'lease, French',
    page: `CONTRAT DE LOCATION

Entre les soussignés, Immobilière du Rhône SARL (ci-après le « Bailleur ») et Julien Mercadier (ci-après le « Locataire »), il a été convenu le 2 mai 2031 ce qui suit.

1. Objet. Le bailleur loue au locataire l'appartement situé 6 rue Mercière à Lyon.

2. Durée. Le bail commence le 1er juin 2031.

3. Loyer. Le loyer mensuel est de 950,00 euros, payable d'avance.

4. Dépôt de garantie. Le locataire verse un dépôt de garantie de 1 900,00 euros.

5. Préavis. Le locataire peut donner congé avec un préavis de trois mois.`,
    properties: ASKED,
    expected: {
      landlord: 'Immobilière du Rhône SARL',
      tenant: 'Julien Mercadier',
      start_date: '2031-06-01',
      monthly_rent: 950,
      deposit: 1900,
      notice_period: '3 mois',
      city: 'Lyon',
    },
  },
];
