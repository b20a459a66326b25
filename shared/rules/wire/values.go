package wire

import "github.com/cuatrola/cuatrola/shared/rules"

// AppendValues writes what was made of a point of a record: the reason why nothing can
// be said of it (0 is OK), the seat whose turn it is, the hand and action of the fault
// (65,535: no action), the set of actions, and the value of each in their order. values
// has a place for every action.
func AppendValues(b []byte, fault rules.Fault, seat rules.Seat, actions rules.Actions, values []int16) []byte {
	b = append(b, uint8(fault.Reason), uint8(seat))
	b = appendUint16(b, uint16(fault.Hand))
	b = appendUint16(b, uint16(fault.Action))
	b = append(b, uint8(actions), uint8(actions>>8), uint8(actions>>16), uint8(actions>>24))
	for ; actions != 0; actions = actions.Rest() {
		a, _ := actions.First()
		b = appendUint16(b, uint16(values[a]))
	}
	return b
}
