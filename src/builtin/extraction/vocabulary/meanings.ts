import { fold } from '#src/lib/words.ts';

/**
 * A dictionary of the words that office papers label their values with: a schema in one language is read against a
 * paper in another one word by word, so that no label has to be known as a whole. German, French, Spanish, Italian,
 * Dutch, Polish and Portuguese beside the English words that come first; a word may mean two ("albarán").
 */
const WORDS = `
account: konto compte cuenta conto rekening rachunek conta
address: adresse anschrift adres direccion domicilio indirizzo endereco
after: nach nachher apres despues dopo po new
agreement: vertrag contrat contrato contratto overeenkomst umowa contract
amount: betrag montant importe importo bedrag kwota valor
apartment: wohnung appartement piso vivienda appartamento flat mieszkanie apartamento
article: artikel articolo articulo item towar artigo
attend: teilgenommen besucht suivi asistido frequentato bijgewoond participado
author: autor autore auteur
balance: saldo solde kontostand
bank: banque banco banca
before: vor vorher avant antes prima przed previous
begin: beginn beginnt anfang debut commence comienza inicio inizio inizia aanvang begint poczatek start comeco
birth: geburt geboren naissance nacimiento nascita geboorte urodzenia nascimento born
package: packstuck paket kolli colis bulto collo colli pakket paczka parcel
building: gebaude batiment edificio gebouw budynek predio
buyer: kaufer acheteur comprador acquirente koper kupujacy
carrier: spedition spediteur transporteur transportista vettore corriere vervoerder przewoznik transportadora
case file: aktenzeichen dossier expediente pratica zaak sygnatura processo
certificate: zertifikat bescheinigung urkunde attestation certificat certificado attestato certificato certificaat zaswiadczenie
city: stadt ort ville ciudad localidad citta plaats miasto cidade town
closing: abschluss schluss cloture cierre chiusura slot koncowe
company: firma unternehmen entreprise societe empresa azienda ditta bedrijf
condition: bedingung konditionen modalite condicion condizioni voorwaarden warunki condicoes terms
consumption: verbrauch consommation consumo verbruik zuzycie usage
correction: korrektur berichtigung correccion correzione correctie korekta korekcie
cost: kosten cout frais coste costo spese koszt custo charge
country: land pays pais paese kraj
course: kurs lehrgang seminar formation curso corso cursus szkolenie training
credit: gutschrift avoir abono accredito creditnota credito
currency: wahrung devise monnaie moneda divisa valuta waluta moeda
customer: kunde client cliente klant klient abnehmer
date: datum fecha data
daily: taglich journalier diario giornaliero dagelijks
day: tag jour dia giorno dag dzien
degree: abschluss diplome titulo laurea diploma
delivery: lieferung liefer livraison entrega envio consegna levering lever dostawy shipping shipment
delivery note: lieferschein albaran pakbon
department: abteilung service departamento reparto afdeling dzial
deposit: kaution depot fianza deposito cauzione borg waarborgsom kaucja caucao
description: beschreibung bezeichnung designation libelle descripcion concepto descrizione omschrijving opis descricao
difference: differenz unterschied abweichung diferencia differenza verschil roznica
discount: rabatt nachlass remise rabais descuento sconto korting rabat desconto
due: fallig echeance vencimiento scadenza verval termin zahlungsziel
duration: dauer laufzeit duree duracion durata duur looptijd duracao length
employee: mitarbeiter arbeitnehmer salarie trabajador empleado dipendente lavoratore werknemer pracownik trabalhador
employer: arbeitgeber employeur empleador datore werkgever pracodawca empregador
end: ende endet fin termino fine einde koniec fim
energy: energie energia
exam: prufung examen prueba esame toets egzamin exame test
fee: gebuhr honorar honoraire tarifa honorario tariffa onorario vergoeding oplata taxa
first name: vorname prenom nombre voornaam imie
flight: flug vol vuelo volo vlucht lot voo
from: von vom ab depuis desde dal vanaf
fuel: kraftstoff carburant combustible carburante brandstof paliwo
gross: brutto brut bruto lordo
gross income: devengado bruttolohn
grade: note calificacion voto cijfer ocena nota
hour: stunde heure hora ora uur godzin
income: einkommen lohn revenu ingreso renta reddito inkomen dochod rendimento
income tax: lohnsteuer einkommensteuer irpf irpef loonheffing inkomstenbelasting irs
insurance: versicherung assurance seguro assicurazione verzekering ubezpieczenie
interest: zinsen zins interet interes interessi rente odsetki juros
invoice: rechnung facture factura fattura factuur faktura fatura bill
issue: ausgestellt ausstellung emission emis emitido expedicion expedido rilascio emissione uitgifte afgifte wystawienia emissao issued delivre
item: position posten artikel
landlord: vermieter bailleur arrendador locatore verhuurder wynajmujacy senhorio lessor
last name: nachname familienname apellido cognome achternaam nazwisko apelido surname
lease: mietvertrag bail arrendamiento alquiler locazione huur najmu arrendamento tenancy location
license: lizenz licence licencia licenza licentie licencja
loan: darlehen kredit pret prestamo prestito lening kredyt emprestimo
maker: hersteller fabricant fabricante produttore fabrikant producent manufacturer
material: werkstoff materiau materiale materiaal
member: mitglied membre miembro socio lid czlonek membro
meter: zahler compteur contador contatore teller licznik
minimum: mindest
model: modell modele modelo modello
month: monat mois mes mese maand miesiac
month: monatlich monatliche mensuel mensual mensile maandelijks miesieczny mensal monthly
name: nom nombre nome naam nazwa nazwisko
net: netto nette neto liquido
net pay: nettolohn auszahlungsbetrag percibir
pay: auszahlung payer pagar betalen zaplaty wyplata
note: schein bon
notice: kundigung kundigungsfrist preavis preaviso opzegging opzegtermijn preavviso wypowiedzenia
number: nummer nr numero no num numer
opening: anfang ouverture apertura beginsaldo
order: bestellung bestell auftrag commande pedido ordine bestelling zamowienia encomenda
origin: herkunft ursprung origine origen herkomst pochodzenie
owner: eigentumer inhaber proprietaire titulaire propietario titular proprietario eigenaar wlasciciel holder
page: seite pagina strona
paid: bezahlt paye pagado pagato betaald zaplacono
passenger: fahrgast passager pasajero passeggero passagier pasazer passageiro
patient: paciente paziente pacjent
payment: zahlung paiement pago pagamento betaling platnosci
rate: satz prozent taux tipo aliquota tarief stawka taxa
period: zeitraum periode periodo frist okres abrechnungszeitraum
phone: telefon telephone telefono telefoon telefone tel
place: ort lieu lugar luogo plaats miejsce
postal: post postal
premium: pramie prime prima premio premie skladka
price: preis prix precio prezzo prijs cena preco
product: produkt produit producto prodotto produto
profession: beruf profesion professione beroep zawod profissao occupation
property: immobilie mietsache mietobjekt bien inmueble immobile pand nieruchomosc imovel premises
purpose: zweck verwendungszweck objet motivo causale doel cel
quantity: menge anzahl quantite cantidad quantita aantal hoeveelheid ilosc quantidade count
reason: grund raison motif causa reden powod
receipt: quittung beleg recu recibo ricevuta bon paragon
recipient: empfanger destinataire destinatario ontvanger odbiorca
reference: referenz zeichen referencia riferimento referentie kenmerk
registration: anmeldung inscription inscripcion iscrizione registratie rejestracji matricula
rent: miete mietzins loyer renta alquiler canone affitto huurprijs czynsz aluguel
salary: gehalt lohn salaire salario nomina stipendio loon wynagrodzenie wage
sender: absender expediteur remitente mittente afzender nadawca remetente
signed: unterzeichnet unterschrieben signe firmado firmato ondertekend podpisano assinado
social: sozial
street: strasse rue calle via straat ulica rua
student: schuler eleve etudiant alumno estudiante studente student uczen aluno
subject: betreff objet asunto oggetto onderwerp temat assunto
total: summe gesamt somme suma totale totaal razem
supplier: lieferant fournisseur proveedor fornitore leverancier dostawca fornecedor
tax: steuer impot impuesto imposta belasting podatek imposto
tenant: mieter locataire arrendatario inquilino conduttore inquilino huurder najemca arrendatario lessee
time: zeit uhrzeit heure hora ora tijd godzina
title: titel titre titulo titolo tytul
until: bis jusqu hasta fino tot
valid: gultig valable valide valido geldig wazny
value: wert valeur valor valore waarde wartosc
vehicle: fahrzeug vehicule vehiculo veicolo voertuig pojazd veiculo
weight: gewicht poids peso waga
witness: zeuge temoin testigo testimone getuige swiadek testemunha
year: jahr annee ano anno jaar rok
`;

/** So many letters of an ending are another form of the word. */
const ENDING = 2;
/** Shorter words have one form only, and are no parts of compounds. */
const SHORTEST = 4;
const LONGEST = 40;

const MEANINGS = new Map<string, string[]>();
for (const line of WORDS.trim().split('\n')) {
  const [meanings = '', words = ''] = line.split(':');
  const meant = meanings.split(' ');
  for (const word of [...(meant.length === 1 ? meant : []), ...words.trim().split(' ')].map(fold)) {
    // A word of several languages and meanings keeps the first; its own English meaning is surest.
    if (word && (!MEANINGS.has(word) || meant[0] === word)) MEANINGS.set(word, meant);
  }
}

/** What a folded word means, in English words; a word that the dictionary has not means itself. */
export const meaningsOf = (word: string): readonly string[] => translated(word) ?? [word];

const MOST_KEPT = 20_000;
const kept = new Map<string, string[] | undefined>();

/** What a folded word means, if the dictionary has it or its parts. */
export function translated(word: string): readonly string[] | undefined {
  if (!kept.has(word)) {
    if (kept.size >= MOST_KEPT) kept.clear();
    kept.set(word, known(word) ?? compound(word));
  }
  return kept.get(word);
}

function known(word: string): string[] | undefined {
  const own = MEANINGS.get(word);
  if (own || word.length <= SHORTEST || word.length > LONGEST) return own;
  for (let cut = 1; cut <= ENDING; cut++) {
    const form = word.length - cut >= SHORTEST ? MEANINGS.get(word.slice(0, -cut)) : undefined;
    if (form) return form;
  }
  return undefined;
}

/** "Mietdauer", "Abrechnungsmonat": what the parts mean that are known, the last one among them. */
function compound(word: string): string[] | undefined {
  if (word.length < 2 * SHORTEST || word.length > LONGEST) return undefined;
  for (let at = SHORTEST - 1; at <= word.length - SHORTEST; at++) {
    const last = known(word.slice(at));
    if (!last) continue;
    const first = word.slice(0, at);
    const meant = known(first) ?? known(first.replace(/(?:s|n|e|en|es)$/, '')) ?? [first];
    return [...meant, ...last];
  }
  return undefined;
}
