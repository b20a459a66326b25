package stripetest

import (
	"fmt"
	"html/template"
	"net/http"
	"strings"
)

// checkoutPath is where the pages are on which people pay.
const checkoutPath = "/checkout/"

var checkoutPage = template.Must(template.New("").Parse(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Checkout</title>
<h1>{{.Amount}} {{.Currency}}</h1>
<form method="post">
<button name="do" value="pay">Pay</button>
<button name="do" value="later">Pay by transfer</button>
</form>
<p><a href="{{.Leave}}">Back to the shop</a>
`))

// checkout is the page of a Checkout Session: one pays there, or goes back. What comes of
// it is among the events, and told to nobody until the test does.
func (s *Stripe) checkout(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	session := s.objects[strings.TrimPrefix(r.URL.Path, checkoutPath)]
	if session != nil {
		session = clone(session)
	}
	s.mu.Unlock()
	if session == nil || session["object"] != "checkout.session" || session["status"] != "open" {
		http.Error(w, "This page is not there any more.", http.StatusNotFound)
		return
	}
	order := fmt.Sprint(session["client_reference_id"])
	if r.Method == http.MethodPost {
		if r.FormValue("do") == "later" {
			s.PayLater(order)
		} else {
			s.Pay(order)
		}
		http.Redirect(w, r, fmt.Sprint(session["success_url"]), http.StatusSeeOther)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = checkoutPage.Execute(w, map[string]any{"Amount": session["amount_total"], "Currency": session["currency"], "Leave": session["cancel_url"]})
}
