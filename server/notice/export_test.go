package notice

// LimitPushes sets how many may wait to be pushed.
func (s *Service) LimitPushes(most int) { s.push.most = most }
