package shop

// Words is a text in each language.
type Words struct{ ES, CA, EN string }

var statusWords = map[Status]Words{
	Created:        {"Pedido hecho", "Comanda feta", "Ordered"},
	Pending:        {"Pendiente de pago", "Pendent de pagament", "Waiting for payment"},
	Paid:           {"Pagado", "Pagat", "Paid"},
	Granted:        {"Entregado", "Lliurat", "Delivered"},
	PartlyReversed: {"Devuelto en parte", "Retornat en part", "Partly given back"},
	Reversed:       {"Devuelto", "Retornat", "Given back"},
	Failed:         {"El pago no se ha hecho", "El pagament no s'ha fet", "The payment failed"},
	Cancelled:      {"Cancelado", "Cancel·lat", "Cancelled"},
	Expired:        {"Caducado sin pagar", "Caducat sense pagar", "Expired unpaid"},
}

// Words of a status.
func (s Status) Words() Words { return statusWords[s] }

var whatWords = map[What]Words{
	WhatCreated:         {"Pedido hecho", "Comanda feta", "Ordered"},
	What(FactPending):   {"A la espera del pago", "A l'espera del pagament", "Waiting for payment"},
	WhatPaid:            {"Pagado", "Pagat", "Paid"},
	What(FactFailed):    {"El pago ha fallado", "El pagament ha fallat", "The payment failed"},
	What(FactCancelled): {"Cancelado", "Cancel·lat", "Cancelled"},
	What(FactExpired):   {"Caducado sin pagar", "Caducat sense pagar", "Expired unpaid"},
	WhatReversed:        {"Dinero devuelto", "Diners retornats", "Money given back"},
	WhatRenewalStopped:  {"No se renovará", "No es renovarà", "Will not be renewed"},
	WhatRefundRequested: {"Devolución pedida", "Devolució demanada", "Refund asked for"},
}

// Words of a change; false for one that is none of the player's affair.
func (c *Change) Words() (Words, bool) {
	w, ok := whatWords[c.What]
	if c.What == WhatReversed && (c.Detail.Given.Coins > 0 || c.Detail.Given.Boosters > 0 || c.Detail.Given.VIPDays > 0) {
		w = Words{"Cobro recuperado", "Cobrament recuperat", "Payment restored"}
	}
	return w, ok
}

// ClosedWords say that nothing can be bought through a provider.
var ClosedWords = Words{"Ahora no se puede comprar por aquí.", "Ara no s'hi pot comprar.", "Nothing can be bought through this now."}
